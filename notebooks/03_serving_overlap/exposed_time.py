# %% [markdown] key="title" lang="zh"
# # 暴露时间：传输到底藏住了多少
# 搬一份 KV 缓存要花时间。工程师常说“把它和计算重叠起来就好”。这一本要你算清楚：藏住了几毫秒，还剩几毫秒露在外面。

# %% [markdown] key="title" lang="en"
# # Exposed time: how much of a transfer is really hidden
# Moving a KV cache takes time, and the usual advice is "overlap it with compute". Here you work out what that buys: how many milliseconds disappear behind the compute, and how many still show.

# %% [markdown] key="badges" badges=true

# %% [markdown] key="header" header=true

# %% key="setup" helpers=["tools/__init__.py", "tools/project_runtime.py", "tools/timeline.py", "tools/progress.py"]

# %% [markdown] key="stages" lang="zh"
# ## 先认识两个阶段
# 大模型把文字切成**词元**来读，回答一个请求分两步走。**预填充**（prefill）把整段提示词一次算完，每一层都为每个词元存下两个向量 K 和 V，后面的词元做注意力时要查它们：这就是 **KV 缓存**。**解码**（decode）随后一个一个地吐词元，每一步都要把前面的 K/V 再读一遍。前者算得多，后者读得多、算得少。
#
# 两步挤在同一块 GPU 上，长提示词一来，别人的解码就要卡顿。所以不少系统把它们拆到两组 GPU 上，叫做 **PD 分离**。

# %% [markdown] key="stages" lang="en"
# ## Two stages, two machines
# Serving a request has two stages. **Prefill** reads the whole prompt in one go. In every layer it stores a key and a value vector for every token, because later tokens look back at them (attention): that is the **KV cache**. **Decode** then emits one token at a time, and each step reads all earlier keys and values again: much reading, little arithmetic.
#
# Put both on one GPU and every long prompt makes everybody else's decode stutter. Many systems therefore give each stage its own GPUs: prefill–decode separation.

# %% [markdown] key="price" lang="zh"
# 拆开是有代价的：预填充那边写好的 KV 缓存，得先搬到解码那边，解码才能开始。首词元若由解码侧发出，传输会拖长首词元延迟（TTFT）；若由预填充侧先给出，拖慢的就是它后面的词元，记在每词元间隔（TPOT）上。先看一眼最笨的做法。

# %% [markdown] key="price" lang="en"
# Separation has a price: the KV cache that prefill wrote must travel to the decode side before decode may start. If decode emits the first token, users feel it in the time to first token (TTFT); if prefill does, as a gap after it, which counts into the time per output token (TPOT). Here is the naive way to do it.

# %% key="waste"
from tools.timeline import draw_timeline

draw_timeline(
    {
        "prefill GPU": [("compute", 0, 12, "prefill A"), ("idle", 12, 30)],
        "link": [("exposed", 12, 24, "KV of A")],
        "decode GPU": [("idle", 0, 24, "waits"), ("compute", 24, 30, "decode A")],
    },
    title="Nothing overlaps: both GPUs stand still while the KV cache travels",
)

# %% [markdown] key="waste-read" lang="zh"
# 从 12 ms 到 24 ms，两块 GPU 都闲着，只有链路在忙。这 12 ms 全部落在**关键路径**上：它每长 1 ms，整件事就晚完 1 ms。如果解码 GPU 手里有**别的请求**可算，这段空等就能被盖住。什么样的工作盖得住？看下表。

# %% [markdown] key="waste-read" lang="en"
# Between 12 ms and 24 ms both GPUs stand idle and only the link works. All 12 ms lie on the **critical path**, the chain of steps that sets the finishing time. If the decode GPU had **other requests** to work on, it would not stand idle. Which work can cover a transfer?

# %% [markdown] key="who-overlaps" lang="zh"
# ## 哪些工作能重叠，被什么拦住
# 先认几个词。**SM**：GPU 里做计算的单元；**拷贝引擎**：专门搬数据的部件；**流**：一条任务队列，里面的任务按次序执行；H2D、D2H、P2P：主机到 GPU、GPU 到主机、GPU 到 GPU 的拷贝；**链路**：数据走的路，比如 PCIe 或网络。
#
# | 工作 | 可以和谁重叠 | 拦路的是什么 |
# |---|---|---|
# | CPU 准备下一批请求 | GPU 正在算的这一批 | Python 的全局锁、调度队列上的同步 |
# | H2D / D2H / P2P 拷贝 | 与它无关的 GPU 计算 | 拷贝引擎的数量、链路带宽、流之间的依赖 |
# | 集合通信（多块 GPU 一起交换数据） | 不依赖其结果的计算 | 同样要占 SM 和网络 |
# | 预填充到解码的交接 | **其他**请求的计算 | 本请求的解码必须等到状态可见 |
#
# 一句话：有**依赖**，就不能重叠；抢同一个部件或同一条链路，只能重叠一部分。

# %% [markdown] key="who-overlaps" lang="en"
# ## Which work can overlap, and what stops it
# Some words first. **SMs**: the GPU's arithmetic units. **Copy engine**: hardware that only moves data. **Stream**: a queue of GPU work, run in order. H2D, D2H, P2P: host to GPU, GPU to host, GPU to GPU. **Link**: the road that data takes, PCIe or a network.
#
# | work | can overlap with | what stops it |
# |---|---|---|
# | CPU prepares the next batch | the batch now on the GPU | Python's global lock, synchronisation on the scheduler's queue |
# | H2D / D2H / P2P copy | GPU compute that does not need it | number of copy engines, link bandwidth, stream dependencies |
# | collective communication (many GPUs exchange data) | compute that does not need its result | it wants SMs and network too |
# | prefill-to-decode handoff | compute of **other** requests | this request's decode must wait until the state is visible |
#
# In short: a **dependency** forbids overlap; a shared engine or link makes it partial.

# %% key="three-cases"
draw_timeline(
    {
        "link": [("transfer", 0, 6, "KV of A"), ("exposed", 14, 24, "KV of C")],
        "SMs": [
            ("compute", 0, 8, "decode B (independent)"),
            ("idle", 8, 14),
            ("idle", 14, 24, "decode C must wait"),
            ("compute", 24, 30, "decode C"),
        ],
    },
    title="Left: B is independent of A's transfer. Right: only C is left, and it needs the KV of C",
)

# %% [markdown] key="three-cases-read" lang="zh"
# 左边：搬 A 的时候 GPU 在算 B，传输没有让它空转。右边：手里只剩 C，而 C 等的正是这份 KV，整段传输都暴露了。

# %% [markdown] key="three-cases-read" lang="en"
# Left: while A's KV travels, the GPU computes B and loses nothing. Right: only C is left, and C waits for exactly this KV, so the whole transfer is exposed.

# %% [markdown] key="four-words" lang="zh"
# ## 四个量
# | 名称 | 意思 | 用来判断 |
# |---|---|---|
# | 传输时间 | 从开始交接到最后一个字节到达，含固定延迟 | 链路和数据量的成本 |
# | 覆盖窗口 | 有独立工作可做的一段时间，可能伸出传输之外，也可能错过它（代码里叫 `cover_intervals`） | 有什么可以拿来藏 |
# | 暴露时间 | 没有被窗口盖住、仍留在关键路径上的那部分传输 | 对 TTFT / TPOT 的直接影响 |
# | 重叠率 | 藏住的时间 ÷ 传输时间 | 重叠有没有真的起作用 |
#
# **替谁藏？** 别的请求盖住的，是 GPU 的空等；请求 A 自己照样要等传输走完。想让 A 也少等，窗口得是 A 自己的工作，比如一边搬前几层的 KV，一边预填充后几层。窗口的长短不说明问题，**位置**才说明问题。

# %% [markdown] key="four-words" lang="en"
# ## Four quantities
# | name | meaning | what it tells you |
# |---|---|---|
# | transfer time | from the start of the handoff, fixed latency included, to the last byte | what link and payload cost |
# | overlap window | a stretch of time with independent work; it may stick out of the transfer or miss it (in code: `cover_intervals`) | what there is to hide behind |
# | exposed time | the part of the transfer that no window covers, left on the critical path | what TTFT / TPOT feel directly |
# | overlap ratio | hidden time / transfer time | whether the overlap is doing anything |
#
# **Hidden from whom?** Other requests' decode keeps the GPU busy; request A itself still waits for its transfer. A's own wait shrinks only if the window is A's own work, such as prefilling later layers while the KV of earlier ones travels. And length says little about a window: **where** it lies says everything.

# %% [markdown] key="predict-1" lang="zh"
# ### 猜一猜（一）
# 传输占 [0, 10] ms，独立计算的窗口有三个：[1, 4]、[3, 7]、[12, 14]。暴露时间是多少？把你的数写进下一格，再往下跑。猜错不扣分。

# %% [markdown] key="predict-1" lang="en"
# ### Predict (1)
# A transfer takes [0, 10] ms. Independent compute runs in three windows: [1, 4], [3, 7] and [12, 14]. How much stays exposed? Write your number in the next cell before you go on. A wrong guess costs nothing.

# %% key="predict-1-answer"
my_exposed_ms = None  # 你的猜测，毫秒 / your guess in ms

# %% key="naive"
transfer = (0.0, 10.0)
covers = [(1.0, 4.0), (3.0, 7.0), (12.0, 14.0)]

covered_ms = sum(end - start for start, end in covers)
print(f"add the windows up: {covered_ms:g} ms, so only {10.0 - covered_ms:g} ms would be exposed")
draw_timeline(
    {
        "transfer": [("transfer", *transfer)],
        **{f"window {n}": [("compute", *window)] for n, window in enumerate(covers, start=1)},
    },
    title="Adding up the windows counts some instants twice, and some that lie outside",
)

# %% [markdown] key="rule-union" lang="zh"
# ## 规则：每个瞬间只能算一次
# 把窗口长度直接相加，得到“暴露 1 ms”，这是错的：[3, 4] 被数了两遍，[12, 14] 又根本不在传输期间。正确的做法分两步：先把每个窗口**裁剪**到传输区间以内，再把互相重叠的窗口**合并**，合并后的总长才是藏住的时间。
#
# 还有一条守恒关系可以随时自查：**藏住的 + 暴露的 = 总时间**。

# %% [markdown] key="rule-union" lang="en"
# ## The rule: no instant counts twice
# Adding up the windows says "1 ms exposed", and that is wrong: [3, 4] is counted twice, and [12, 14] lies after the transfer. So first **clip** every window to the transfer, then **merge** the windows that overlap; the length of what remains is the hidden time.
#
# One check is always at hand: **hidden + exposed = total**.

# %% key="merge-demo"
# 手工合并：按起点排序；有缝就另起一段，没缝就把最后一段拉长
# Merging by hand: sort by start; after a gap open a new block, otherwise stretch the last one
blocks = []
for left, right in sorted([(5.0, 9.0), (0.0, 2.0), (1.0, 3.0), (6.0, 7.0)]):
    if not blocks or left > blocks[-1][1]:
        blocks.append([left, right])
    else:
        blocks[-1][1] = max(blocks[-1][1], right)
print(blocks)

# %% [markdown] key="todo1-header" lang="zh"
# ## TODO 1 · `compute_exposed_interval`（约 6 行，35 分）
# 给定一个传输区间和若干窗口（次序任意，可以重叠、嵌套、相接、落在外面，也可以为空），算出总时间、藏住的时间和暴露时间。合并循环已经写好，你补上裁剪和求和；一共两处，写完把各自的 `raise` 那行删掉。
#
# **约定**：区间是一对数（元组或列表），单位 ms，可以是负数、小数，长度可以是 0；返回字典 `total_ms`、`hidden_ms`、`exposed_ms`；不修改传入的参数。输入检查已给，不计分。

# %% [markdown] key="todo1-header" lang="en"
# ## TODO 1 · `compute_exposed_interval` (about 6 lines, 35 points)
# Given one transfer and any windows, in any order, that may overlap, nest, touch, lie outside or be absent, return total, hidden and exposed time. Merging is written; add clipping and sum. Fill both gaps, delete both `raise` lines.
#
# **Contract**: an interval is a pair of numbers (tuple or list) in ms, perhaps negative, fractional or of length 0; return a dict with `total_ms`, `hidden_ms`, `exposed_ms`; leave the arguments as they are. Input checks are given and carry no points.

# %% grade_id="given-number-check" locked=true
from math import isclose, isfinite


def check_number(name, value, *, above=None, at_least=None):
    """给定：不是有限的数就拒绝。Given: refuse what is not a finite number in range."""
    if isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"{name} = {value!r}: 要求有限的数 / must be a finite number")
    if above is not None and not value > above:
        raise ValueError(f"{name} = {value!r}: 必须大于 / must be above {above}")
    if at_least is not None and value < at_least:
        raise ValueError(f"{name} = {value!r}: 不能小于 / must be at least {at_least}")
    return value


# %% grade_id="given-interval-check" locked=true
def check_interval(name, interval):
    """给定：返回 (start, end)，不合法就拒绝。Given: return (start, end) or refuse."""
    start, end = interval
    check_number(f"{name} start", start)
    check_number(f"{name} end", end)
    if end < start:
        raise ValueError(f"{name} = ({start}, {end}): 终点早于起点 / ends before it starts")
    return start, end


# %% grade_id="todo1-exposed-interval" solution=true
def compute_exposed_interval(transfer_interval, cover_intervals):
    """传输中没有被独立工作盖住的时间。The part of a transfer that no independent work covers.

    transfer_interval: (start_ms, end_ms)        cover_intervals: [(start_ms, end_ms), ...]
    区间是元组或列表 / each interval is a tuple or a list
    返回 / returns {'total_ms': ..., 'hidden_ms': ..., 'exposed_ms': ...}
    """
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    # TODO 1a · 约 5 行 / about 5 lines: 裁剪到 [start, end]，丢掉空的，按左端排序
    #                                     clip to [start, end], drop what is empty, sort by left end
    # clipped = [(left, right), ...]
    ### BEGIN SOLUTION
    clipped = sorted(
        (max(start, left), min(end, right))
        for left, right in windows
        if min(end, right) > max(start, left)
    )
    ### END SOLUTION
    merged = []
    for left, right in clipped:
        if not merged or left > merged[-1][1]:
            merged.append([left, right])
        else:
            merged[-1][1] = max(merged[-1][1], right)
    total_ms = end - start
    # TODO 1b · 约 1 行 / about 1 line: 合并后各段长度之和 / lengths of the merged blocks, added up
    # hidden_ms = ...
    ### BEGIN SOLUTION
    hidden_ms = sum(right - left for left, right in merged)
    ### END SOLUTION
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}


# %% [markdown] key="todo1-solution" lang="zh" edition="solution"
# ### 解析：TODO 1
# **为什么先裁剪。** 传输之外的计算帮不上忙。不裁左边，传输开始以前的计算会被算成“藏住”，甚至出现藏住的时间比总时间还长；不裁右边也一样。先合并再裁剪也能得到同样的结果，只是多背着一堆用不上的区间。
#
# **为什么丢掉空区间。** 落在外面的窗口裁完会变成“左端大于右端”，长度为负。留着它，求和时会把别的窗口抵消掉。

# %% [markdown] key="todo1-solution" lang="en" edition="solution"
# ### Why it works: TODO 1
# **Why clip first.** Work before or after the transfer hides nothing. Without the left clip, compute that ended before the transfer began counts as cover, and the hidden time can exceed the total; the right end is no different. Merging first and clipping afterwards gives the same answer, with more to carry around.
#
# **Why drop empty pieces.** Clipping a window that lies outside leaves a left end beyond its right end: a negative length, which would quietly eat into the other windows when you add them up.

# %% [markdown] key="todo1-solution-merge" lang="zh" edition="solution"
# **为什么排序。** 合并循环只跟最后一段比较，前提是左端递增。没排序，后来的早窗口满足 `left <= merged[-1][1]`，就被当成最后一段的一部分，自己的时间全丢了：`[(6, 9), (1, 3)]` 只算出 3 ms，其实是 5 ms。**为什么取 max。** 嵌套时，里层窗口先结束，直接用它的右端会把外层截短。
#
# **端点相接**的两段并不重叠也没有缝，合不合并，总长都一样，所以 `>` 和 `>=` 在这里等价；真正的错误是把相接的那一段丢掉。

# %% [markdown] key="todo1-solution-merge" lang="en" edition="solution"
# **Why sort.** The loop compares with the last block only, which is right when left ends never decrease. Unsorted, an early window that comes late satisfies `left <= merged[-1][1]`, so the loop takes it for part of the last block and its own time is lost: `[(6, 9), (1, 3)]` gives 3 ms instead of 5. **Why max.** A nested window ends first; taking its right end would cut its host short.
#
# Windows that **touch** share no time and leave no gap, so merged or not the length is the same, and `>` and `>=` are equally good here. The real mistake is to lose the second one.

# %% [markdown] key="todo1-own-timeline" lang="zh"
# ### 你的答案，画成时间线
# 下面的图不是预先画好的：传输被切成小段，每一段都去问**你的函数**。红色斜纹是你的函数算作暴露的，橙色点纹是算作藏住的。要是出现紫色，或者标题里有 `[!]`，说明分段问和整段问的答案对不上：有的时间被数了两遍，或者数了外面的。

# %% [markdown] key="todo1-own-timeline" lang="en"
# ### Your answer as a timeline
# Nothing below is drawn in advance. The transfer is cut into slices, and **your function** is asked about each one: red stripes where it says exposed, orange dots where it says hidden. Purple, or a `[!]` in the title, means that the slices and the whole disagree: some time was counted twice, or outside.

# %% key="todo1-picture"
from tools.timeline import draw_exposure

draw_exposure(compute_exposed_interval, transfer, covers, title="What my function says")

# %% key="todo1-picture-unsorted"
unsorted_covers = [(8.0, 12.0), (2.0, 6.0), (3.0, 4.0), (-2.0, 1.0)]
draw_exposure(compute_exposed_interval, transfer, unsorted_covers, title="Windows in any order, one nested")

# %% grade_id="todo1-exposed-interval-test-visible" points=5
# 看得见的测试 · a test you can see
def expect_exposure(transfer_interval, cover_intervals, hidden_ms, rule):
    """批改也用它：调用一次，核对三个数。Grading uses it too: one call, all three numbers."""
    report = compute_exposed_interval(transfer_interval, cover_intervals)
    total_ms = transfer_interval[1] - transfer_interval[0]
    keys = {"total_ms", "hidden_ms", "exposed_ms"}
    assert set(report) == keys, "返回的键不对 / the keys are not the three asked for"
    assert isclose(report["total_ms"], total_ms, abs_tol=1e-9), "总时间 = 终点 - 起点 / total = end - start"
    assert isclose(report["hidden_ms"], hidden_ms, abs_tol=1e-9), rule
    exposed_ms = total_ms - hidden_ms
    assert isclose(report["exposed_ms"], exposed_ms, abs_tol=1e-9), "藏住 + 暴露 = 总 / hidden + exposed = total"


def test_interval_union_and_exposed_time():
    """交叠的窗口先合并，不重复扣减。Overlapping windows are merged before they count."""
    report = compute_exposed_interval((0.0, 10.0), [(1.0, 4.0), (3.0, 7.0), (12.0, 14.0)])
    assert report == {"total_ms": 10.0, "hidden_ms": 6.0, "exposed_ms": 4.0}, "先裁剪，再合并 / clip, then merge"


test_interval_union_and_exposed_time()

# %% [markdown] key="todo1-hint" lang="zh"
# <details><summary>提示（先想五分钟再点开）</summary>
#
# 窗口 `(left, right)` 与传输 `(start, end)` 的交集，左端是两个左端里较大的，右端是两个右端里较小的。什么时候这个交集是空的？
#
# </details>
# <details><summary>再给一点</summary>
#
# 三步：裁剪每个窗口；左端小于右端的才留下；排序。对“猜一猜（一）”，`clipped` 应该是 `[(1.0, 4.0), (3.0, 7.0)]`，合并后是 `[[1.0, 7.0]]`，1b 只要把每段的长度加起来。
#
# </details>

# %% [markdown] key="todo1-hint" lang="en"
# <details><summary>Hint (give it five minutes first)</summary>
#
# The intersection of a window `(left, right)` and the transfer `(start, end)` begins at the larger of the two left ends and stops at the smaller of the two right ends. When is it empty?
#
# </details>
# <details><summary>A little more</summary>
#
# Three steps: clip each window, keep it only if its left end is below its right end, sort. For Predict (1), `clipped` is `[(1.0, 4.0), (3.0, 7.0)]`, merged it is `[[1.0, 7.0]]`, and 1b adds up the lengths of those blocks.
#
# </details>

# %% [markdown] key="todo1-more" lang="zh"
# 批改时还会用新的数据检查同样的规则，每格一条。这里只写出规则，不写数据；下面这些格子运行起来没有输出，不代表已经通过。

# %% [markdown] key="todo1-more" lang="en"
# Grading checks the same rules on other data, one rule in each cell. Here you see the rule, not the data; that these cells run without output does not mean that they pass.

# %% grade_id="todo1-exposed-interval-test-clip" points=7
# 规则：传输以外的时间不算藏住
# rule: time outside the transfer hides nothing
### BEGIN HIDDEN TESTS
expect_exposure((5.0, 9.0), [(0.0, 6.0)], 1.0, "窗口早于传输的部分要裁掉 / clip what lies before the transfer")
expect_exposure((5.0, 9.0), [(7.5, 20.0)], 1.5, "窗口晚于传输的部分要裁掉 / clip what lies after the transfer")
expect_exposure((5.0, 9.0), [(0.0, 2.0), (6.0, 7.0), (11.0, 30.0)], 1.0, "完全在外面的窗口不起作用 / a window wholly outside hides nothing")
expect_exposure((-3.0, 4.0), [(-10.0, -1.0), (2.0, 3.0)], 3.0, "起点为负时规则不变 / the rule is the same for negative instants")
### END HIDDEN TESTS

# %% grade_id="todo1-exposed-interval-test-union" points=8
# 规则：每个瞬间只算一次
# rule: no instant counts twice
### BEGIN HIDDEN TESTS
expect_exposure((0.0, 20.0), [(2.0, 15.0), (4.0, 6.0)], 13.0, "嵌套的窗口只算外层 / a nested window adds nothing")
expect_exposure((0.0, 20.0), [(2.0, 15.0), (4.0, 6.0), (14.0, 16.0)], 14.0, "合并时取较远的右端 / merging keeps the farther right end")
expect_exposure((0.0, 20.0), [(3.0, 8.0), (3.0, 8.0), (3.0, 8.0)], 5.0, "相同的窗口只算一次 / equal windows count once")
expect_exposure((0.0, 20.0), [(1.0, 5.0), (4.0, 9.0), (8.0, 12.0), (15.0, 18.0)], 14.0, "一串重叠的窗口合成一段 / a chain of windows becomes one block")
expect_exposure((0.0, 20.0), [(1.0, 4.0), (4.0, 7.0), (7.0, 9.0)], 8.0, "首尾相接的窗口都要算 / windows that touch all count, once")
brief_ms = 2**-20
expect_exposure((0.0, 1.0), [(0.25, 0.5), (0.5 + brief_ms, 0.75)], 0.5 - brief_ms, "缝隙再短也露在外面 / a gap is exposed, however short")
expect_exposure((0.0, 1.0), [(0.25, 0.25 + brief_ms)], brief_ms, "窗口再短也算 / a window counts, however short")
### END HIDDEN TESTS

# %% grade_id="todo1-exposed-interval-test-order" points=5
# 规则：窗口的次序无关
# rule: the order of the windows does not matter
### BEGIN HIDDEN TESTS
from itertools import permutations

for order in permutations([(6.0, 9.0), (1.0, 3.0), (2.0, 4.0), (8.0, 12.0)]):
    expect_exposure((0.0, 10.0), list(order), 7.0, "窗口换个次序，结果不变 / the same windows in another order give the same answer")
### END HIDDEN TESTS

# %% grade_id="todo1-exposed-interval-test-edges" points=5
# 规则：完全藏住、毫无覆盖、零长度，都照常算
# rule: all hidden, none hidden, zero length: no special case
### BEGIN HIDDEN TESTS
expect_exposure((2.0, 6.0), [(0.0, 10.0)], 4.0, "盖住整个传输时暴露为 0 / a window over everything leaves 0 exposed")
expect_exposure((2.0, 6.0), [(2.0, 6.0)], 4.0, "刚好盖满也算完全藏住 / an exact fit hides everything")
expect_exposure((2.0, 6.0), [(2.0, 4.0), (4.0, 6.0)], 4.0, "两段接起来盖满 / two halves hide everything")
expect_exposure((2.0, 6.0), [], 0.0, "没有窗口就全部暴露 / without windows all is exposed")
expect_exposure((2.0, 6.0), [(0.0, 2.0), (6.0, 8.0)], 0.0, "只碰到端点不算覆盖 / touching the end covers nothing")
expect_exposure((2.0, 6.0), [(3.0, 3.0)], 0.0, "空窗口什么也盖不住 / an empty window covers nothing")
expect_exposure((4.0, 4.0), [(0.0, 10.0)], 0.0, "传输长度为 0 时三个数都是 0 / a transfer of no length: all three are 0")
### END HIDDEN TESTS

# %% grade_id="todo1-exposed-interval-test-oracle" points=5
# 规则：在随机数据上与蛮力计数一致，且不修改参数
# rule: agrees with brute-force counting on random data; arguments unchanged
### BEGIN HIDDEN TESTS
import random

dice = random.Random(20260301)
for tick_ms in [1] * 30 + [dice.choice([0.7, 0.05, 2e-4]) * dice.uniform(0.5, 2.0) for _ in range(30)]:
    left = dice.randrange(-10, 20)
    right = left + dice.randrange(0, 25)
    blocks = []
    for _ in range(dice.randrange(0, 7)):
        opening = dice.randrange(-15, 40)
        blocks.append((opening, opening + dice.randrange(0, 12)))
    ticks = sum(any(a <= tick and tick + 1 <= b for a, b in blocks) for tick in range(left, right))
    windows = [(a * tick_ms, b * tick_ms) for a, b in blocks]
    before = list(windows)
    expect_exposure((left * tick_ms, right * tick_ms), windows, ticks * tick_ms, "与蛮力计数的结果不符 / differs from brute-force counting")
    assert windows == before, "不要修改传入的窗口列表 / the list of windows must stay as it was"
moved, listed = [2.0, 10.0], [[7.5, 12.0], [1.0, 4.0], [3.0, 7.0]]
expect_exposure(moved, listed, 7.5, "区间写成列表也一样 / intervals given as lists work too")
assert listed == [[7.5, 12.0], [1.0, 4.0], [3.0, 7.0]], "不要修改窗口本身 / the windows themselves must stay as they were"
assert moved == [2.0, 10.0], "不要修改传入的传输区间 / the transfer must stay as it was"
### END HIDDEN TESTS

# %% key="predict-1-check"
exposed_ms = compute_exposed_interval(transfer, covers)["exposed_ms"]
print(f"computed: {exposed_ms:g} ms exposed; predicted: {my_exposed_ms}")

# %% [markdown] key="from-bytes" lang="zh"
# ## 从字节到毫秒
# 传输区间从哪里来？由数据量和链路算出来。网络的带宽按 **Gbit/s** 标，KV 缓存的大小按**字节**算，时间线用**毫秒**：这里的 1 Gbit 是 10⁹ 位，1 字节是 8 位。还有一笔账跟数据量无关：握手、注册内存、发起请求都要花时间，叫**固定延迟**。
#
# 数据翻倍，带宽那部分翻倍，固定延迟纹丝不动。

# %% [markdown] key="from-bytes" lang="en"
# ## From bytes to milliseconds
# Where does the transfer interval come from? From the payload and the link. Networks are sold in **Gbit/s**, KV caches are counted in **bytes**, timelines in **milliseconds**. A Gbit is 10⁹ bits here, a byte 8 bits. And some of the cost has nothing to do with size: handshakes, memory registration, posting the request. That is the **fixed latency**.
#
# Twice the data takes twice the bandwidth time. The fixed latency does not move.

# %% [markdown] key="predict-2" lang="zh"
# ### 猜一猜（二）
# 125 MB（125,000,000 字节）走一条 10 Gbit/s 的链路，固定延迟 1 ms，传完要多少毫秒？凭感觉也行，写下来。

# %% [markdown] key="predict-2" lang="en"
# ### Predict (2)
# 125 MB (125,000,000 bytes) over a 10 Gbit/s link with 1 ms of fixed latency: how many milliseconds? A gut feeling will do. Write it down.

# %% key="predict-2-answer"
my_transfer_ms = None  # 你的猜测，毫秒 / your guess in ms

# %% key="latency-picture"
draw_timeline(
    {
        "small payload": [("latency", 0, 4), ("transfer", 4, 6)],
        "twice": [("latency", 0, 4), ("transfer", 4, 8)],
        "four times": [("latency", 0, 4), ("transfer", 4, 12)],
    },
    title="The transfer time is latency plus payload / rate: only one of the two grows",
)

# %% [markdown] key="todo2-header" lang="zh"
# ## TODO 2 · `estimate_handoff`（约 2 行，25 分）
# 先完成 TODO 1：它的错会连累这里。换算带宽，加上固定延迟，得到传输时间；区间从 `start_ms` 开始，暴露时间交给你刚写好的函数。重叠率 = 藏住的 ÷ 传输时间；传输时间为 0 时，约定为 1.0。
#
# **约定**：返回字典 `transfer_ms`、`start_ms`、`end_ms`、`exposed_ms`、`overlap_ratio`；固定延迟也是传输的一部分，同样可以被窗口盖住；不修改参数。

# %% [markdown] key="todo2-header" lang="en"
# ## TODO 2 · `estimate_handoff` (about 2 lines, 25 points)
# Finish TODO 1 first: its mistakes show here too. Convert the bandwidth, add the fixed latency, and you have the transfer time. The interval begins at `start_ms`; the exposed time comes from the function you just wrote. The overlap ratio is hidden / transfer time, and by convention 1.0 for a transfer that takes no time.
#
# **Contract**: a dict with `transfer_ms`, `start_ms`, `end_ms`, `exposed_ms`, `overlap_ratio`; the fixed latency is part of the transfer and windows can cover it too; arguments stay unchanged.

# %% grade_id="given-handoff-checks" locked=true
def check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms):
    """给定：不合法的输入一律拒绝。Given: refuse input that makes no sense."""
    check_number("payload_bytes", payload_bytes, at_least=0)
    check_number("bandwidth_gbps", bandwidth_gbps, above=0)
    check_number("fixed_latency_ms", fixed_latency_ms, at_least=0)
    check_number("start_ms", start_ms)


# %% grade_id="todo2-handoff-estimate" solution=true
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    """估算一次交接：何时传完、露出多少。Estimate a handoff: when it ends and how much of it shows.

    返回 / returns {'transfer_ms', 'start_ms', 'end_ms', 'exposed_ms', 'overlap_ratio'}
    """
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    # TODO 2 · 约 2 行 / about 2 lines: Gbit/s -> bytes/ms；固定延迟 + 数据时间 / latency + payload time
    # bytes_per_ms = ...
    # transfer_ms = ...
    ### BEGIN SOLUTION
    bytes_per_ms = bandwidth_gbps * 1e9 / 8 / 1000
    transfer_ms = fixed_latency_ms + payload_bytes / bytes_per_ms
    ### END SOLUTION
    interval = (start_ms, start_ms + transfer_ms)
    exposure = compute_exposed_interval(interval, cover_intervals)
    return {
        "transfer_ms": transfer_ms,
        "start_ms": interval[0],
        "end_ms": interval[1],
        "exposed_ms": exposure["exposed_ms"],
        "overlap_ratio": exposure["hidden_ms"] / transfer_ms if transfer_ms else 1.0,
    }


# %% [markdown] key="todo2-solution" lang="zh" edition="solution"
# ### 解析：TODO 2
# **换算。** 1 Gbit/s = 10⁹ 位每秒 = 125,000,000 字节每秒 = **125,000 字节每毫秒**。忘了除以 8，快了八倍；忘了秒和毫秒，差一千倍；用 2³⁰ 代替 10⁹，差 7%，最难发现，因为结果“看着像对的”。
#
# **固定延迟放在除法外面。** 若把它折成“带宽打个折”，它就会随数据量一起长：大数据多算，小数据几乎不算，而小数据的时间本来主要就是延迟。交接里恰恰有大量小消息：元数据、块表、完成通知。

# %% [markdown] key="todo2-solution" lang="en" edition="solution"
# ### Why it works: TODO 2
# **The conversion.** 1 Gbit/s is 10⁹ bits a second: **125,000 bytes a millisecond**. Forget the 8 and you are eight times too fast; mix up s and ms and you are off by a thousand. 2³⁰ for 10⁹ is nastier: 7% off, and it looks right.
#
# **Latency stays outside the division.** Folded into the rate it grows with the payload: too much for big transfers, almost nothing for small ones, where it is really most of the cost. A handoff has many small ones: metadata, block tables, acknowledgements.

# %% [markdown] key="todo2-solution-start" lang="zh" edition="solution"
# **起点要算进去。** 窗口用的是绝对时刻。区间若总从 0 开始，`start_ms` 一变，窗口就对不上了：明明已经过去的计算，会被当成还能帮忙。
#
# **为什么零传输的重叠率是 1.0。** 没有东西需要藏，也就没有东西露出来；取 0 会让监控里平白多出一批“最差请求”。这是约定，不是推导。

# %% [markdown] key="todo2-solution-start" lang="en" edition="solution"
# **The start counts.** Windows are given as instants. If the interval always began at 0, `start_ms` would change nothing, and compute that was over before the transfer left would seem to help.
#
# **Why the overlap ratio of an empty transfer is 1.0.** There was nothing to hide and nothing shows. Calling it 0 would fill a dashboard with "worst requests" that never waited. It is a convention, not a theorem.

# %% [markdown] key="todo2-own-timeline" lang="zh"
# ### 你的估算，画成时间线
# 10 MB 走 10 Gbit/s，固定延迟 1 ms，从第 2 ms 开始传。区间由你的 `estimate_handoff` 给出，颜色由你的 `compute_exposed_interval` 决定。

# %% [markdown] key="todo2-own-timeline" lang="en"
# ### Your estimate as a timeline
# 10 MB over 10 Gbit/s, 1 ms of latency, leaving at 2 ms. Your `estimate_handoff` places the interval, your `compute_exposed_interval` paints it.

# %% key="todo2-picture"
windows = [(0.0, 4.0), (6.0, 8.0)]
estimate = estimate_handoff(10_000_000, 10.0, 1.0, 2.0, windows)
draw_exposure(
    compute_exposed_interval,
    (estimate["start_ms"], estimate["end_ms"]),
    windows,
    title=f"My estimate: {estimate['transfer_ms']:g} ms, overlap ratio {estimate['overlap_ratio']:.2f}",
)

# %% grade_id="todo2-handoff-estimate-test-visible" points=5
# 看得见的测试 · a test you can see
def test_handoff_estimate():
    """换算之后，固定延迟照样加一次。The fixed latency is added once, after the conversion."""
    report = estimate_handoff(125_000_000, 10.0, 1.0, 0.0, [(0.0, 6.0)])
    assert isclose(report["transfer_ms"], 101.0, rel_tol=1e-6), "固定延迟 + 字节 ÷ 速率 / latency + bytes / rate"
    assert isclose(report["exposed_ms"], 95.0, rel_tol=1e-6), "窗口盖住 6 ms，其余暴露 / 6 ms hidden, the rest shows"


test_handoff_estimate()

# %% [markdown] key="todo2-hint" lang="zh"
# <details><summary>提示</summary>
#
# 一步一步换：Gbit/s → bit/s → byte/s → byte/ms。每一步只乘或除一个数，最后拿 1 Gbit/s 检验：它每毫秒能送多少字节？
#
# </details>

# %% [markdown] key="todo2-hint" lang="en"
# <details><summary>Hint</summary>
#
# One factor at a time: Gbit/s → bit/s → byte/s → byte/ms. Then try it on 1 Gbit/s: how many bytes is that in a millisecond?
#
# </details>

# %% grade_id="todo2-handoff-estimate-test-units" points=6
# 规则：带宽按 Gbit/s 换算，数据时间与字节数成正比
# rule: bandwidth is in Gbit/s; payload time is proportional to the bytes
### BEGIN HIDDEN TESTS
for payload, gbps, transfer_ms in [(125_000, 1.0, 1.0), (25_000_000, 100.0, 2.0), (1_073_741_824, 400.0, 21.47483648), (1, 8.0, 1e-6), (12_500_000, 2.5, 40.0), (1_234_567, 0.123456789, 1_234_567 / 15_432.098625)]:
    report = estimate_handoff(payload, gbps, 0.0, 0.0, [])
    assert set(report) == {"transfer_ms", "start_ms", "end_ms", "exposed_ms", "overlap_ratio"}, "返回的键不对 / the keys are not the five asked for"
    assert isclose(report["transfer_ms"], transfer_ms, rel_tol=1e-9, abs_tol=1e-12), "Gbit/s 到字节每毫秒的换算不对 / the conversion from Gbit/s to bytes/ms is wrong"
    assert isclose(report["end_ms"], transfer_ms, rel_tol=1e-9, abs_tol=1e-12), "终点 = 起点 + 传输时间 / end = start + transfer time"
### END HIDDEN TESTS

# %% grade_id="todo2-handoff-estimate-test-latency" points=4
# 规则：固定延迟只加一次，与数据量和带宽无关
# rule: the fixed latency is added once, whatever payload and bandwidth are
### BEGIN HIDDEN TESTS
for payload, gbps in [(125_000, 1.0), (12_500_000, 10.0), (0, 100.0)]:
    quick = estimate_handoff(payload, gbps, 0.5, 0.0, [])["transfer_ms"]
    slow = estimate_handoff(payload, gbps, 3.0, 0.0, [])["transfer_ms"]
    assert isclose(slow - quick, 2.5, rel_tol=1e-9), "固定延迟原样加一次 / the fixed latency is added once, as it is"
report = estimate_handoff(1_250_000, 1.0, 2.5, 4.0, [])
assert isclose(report["end_ms"], 16.5) and isclose(report["exposed_ms"], 12.5), "终点和暴露时间都含固定延迟 / end and exposed time include the latency"
report = estimate_handoff(0, 10.0, 3.0, 0.0, [(0.0, 2.0)])
assert isclose(report["transfer_ms"], 3.0) and isclose(report["exposed_ms"], 1.0), "没有数据也要付固定延迟，它同样可以被盖住 / without payload the latency remains, and a window can cover it"
### END HIDDEN TESTS

# %% grade_id="todo2-handoff-estimate-test-start" points=5
# 规则：区间从 start_ms 开始，窗口用绝对时刻
# rule: the interval begins at start_ms; windows are absolute instants
### BEGIN HIDDEN TESTS
windows = [(2.0, 4.0), (8.0, 10.0), (12.0, 14.0)]
for start_ms, exposed_ms in [(0.0, 6.0), (4.0, 6.0), (10.0, 8.0), (20.0, 10.0), (-6.0, 8.0)]:
    report = estimate_handoff(1_250_000, 1.0, 0.0, start_ms, list(windows))
    assert isclose(report["start_ms"], start_ms, abs_tol=1e-9), "start_ms 原样返回 / start_ms comes back as it is"
    assert isclose(report["end_ms"], start_ms + 10.0, abs_tol=1e-9), "终点 = 起点 + 传输时间 / end = start + transfer time"
    assert isclose(report["exposed_ms"], exposed_ms, abs_tol=1e-9), "窗口是绝对时刻，要和移动后的区间比 / windows are instants: compare them with the shifted interval"
### END HIDDEN TESTS

# %% grade_id="todo2-handoff-estimate-test-ratio" points=5
# 规则：重叠率 = 藏住的 ÷ 传输时间；零传输约定为 1.0；不修改参数
# rule: ratio = hidden / transfer time; 1.0 for no transfer; arguments unchanged
### BEGIN HIDDEN TESTS
report = estimate_handoff(1_250_000, 1.0, 0.0, 0.0, [(1.0, 3.5)])
assert isclose(report["overlap_ratio"], 0.25), "重叠率 = 藏住的 ÷ 传输时间 / ratio = hidden / transfer time"
windows, asked = [[6.0, 9.0], [2.0, 5.0], [4.0, 8.0]], [[6.0, 9.0], [2.0, 5.0], [4.0, 8.0]]
report, own = estimate_handoff(1_250_000, 1.0, 1.0, 3.0, windows), compute_exposed_interval((3.0, 14.0), asked)
assert isclose(report["exposed_ms"], own["exposed_ms"]), "暴露时间要由你的 compute_exposed_interval 算出 / the exposed time is what your compute_exposed_interval says"
assert windows == asked, "不要修改传入的窗口 / the windows must stay as they were"
report = estimate_handoff(0, 10.0, 3.0, 0.0, [(0.0, 2.0)])
assert isclose(report["overlap_ratio"], 2 / 3), "固定延迟算在传输时间里 / the latency belongs to the transfer time"
report = estimate_handoff(1_000_000, 1.0, 2.0, 5.0, [(6.0, 8.0), (9.0, 12.0)])
assert isclose(report["overlap_ratio"], 0.5), "固定延迟算在传输时间里 / the latency belongs to the transfer time"
assert isclose(estimate_handoff(1_250_000, 1.0, 0.0, 0.0, [])["overlap_ratio"], 0.0, abs_tol=1e-12), "没有窗口时重叠率为 0 / no window: ratio 0"
assert isclose(estimate_handoff(1_250_000, 1.0, 0.0, 0.0, [(0.0, 99.0)])["overlap_ratio"], 1.0), "完全藏住时重叠率为 1 / all hidden: ratio 1"
empty = estimate_handoff(0, 1.0, 0.0, 7.0, [])
assert isclose(empty["overlap_ratio"], 1.0) and isclose(empty["exposed_ms"], 0.0, abs_tol=1e-12), "零传输的重叠率约定为 1.0 / a transfer of no length has ratio 1.0"
### END HIDDEN TESTS

# %% key="predict-2-check"
transfer_ms = estimate_handoff(125_000_000, 10.0, 1.0, 0.0, [])["transfer_ms"]
print(f"computed: {transfer_ms:g} ms; predicted: {my_transfer_ms}")

# %% [markdown] key="real-numbers" lang="zh"
# ## 换成真实的模型和链路
# 每个词元的 KV 缓存 = 2（K 和 V）× 层数 × KV 头数 × 每头维度 × 每个数的字节数。DeepSeek-V3 用 MLA（把 K/V 压成一个短向量）：层数 × (512 + 64) × 字节数。都按 BF16（一个数 2 字节）、8,192 个词元的提示词算；链路按单条、单向的标称速率，固定延迟先当 0。RDMA 是网卡直接读写对方内存的网络，PCIe、NVLink 是机内连线。

# %% [markdown] key="real-numbers" lang="en"
# ## Real models, real links
# KV cache per token = 2 (K and V) × layers × KV heads × head dimension × bytes per number. DeepSeek-V3 uses MLA, which squeezes K and V into one short vector: layers × (512 + 64) × bytes. Take BF16 (2 bytes a number), a prompt of 8,192 tokens, one link, one direction, peak rate, no latency. RDMA is networking that reads and writes remote memory directly; PCIe and NVLink are wires inside a machine.

# %% [markdown] key="predict-3" lang="zh"
# ### 猜一猜（三）
# 解码一步若要 30 ms，一条 200 Gbit/s 的链路上，Llama-3-8B、Llama-3-70B、Qwen2.5-7B、DeepSeek-V3（671B）里，谁的交接能完全藏进一步里？

# %% [markdown] key="predict-3" lang="en"
# ### Predict (3)
# If one decode step takes 30 ms, which of Llama-3-8B, Llama-3-70B, Qwen2.5-7B and DeepSeek-V3 (671B) can hide a whole handoff behind one step, on a 200 Gbit/s link?

# %% key="predict-3-answer"
my_hidden_models = []  # 例如 / for example ["Llama-3-8B"]

# %% key="models"
kv_bytes_per_token = {
    "Llama-3-8B": 2 * 32 * 8 * 128 * 2,
    "Llama-3-70B, Qwen2.5-72B": 2 * 80 * 8 * 128 * 2,
    "Qwen2.5-7B": 2 * 28 * 4 * 128 * 2,
    "DeepSeek-V3 (MLA)": 61 * (512 + 64) * 2,
}
links_gbps = {"RDMA 100": 100, "RDMA 200": 200, "PCIe 4 x16": 252, "RDMA 400": 400, "NVLink 4": 3600}
PROMPT_TOKENS, STEP_MS, LATENCY_MS = 8192, 30.0, 0.0

print(f"{'KV of 8,192 tokens':26}{'MiB':>7}" + "".join(f"{name:>12}" for name in links_gbps))
for model, per_token in kv_bytes_per_token.items():
    size = per_token * PROMPT_TOKENS
    times = [estimate_handoff(size, gbps, LATENCY_MS, 0.0, [])["transfer_ms"] for gbps in links_gbps.values()]
    print(f"{model:26}{size / 2**20:7.0f}" + "".join(f"{t:9.1f} ms" for t in times))

# %% key="hide-in-a-step"
from tools.timeline import draw_handoffs

reports = {
    f"{model}, {link}": estimate_handoff(per_token * PROMPT_TOKENS, gbps, LATENCY_MS, 0.0, [(0.0, STEP_MS)])
    for model, per_token in kv_bytes_per_token.items()
    for link, gbps in links_gbps.items()
    if link in ("RDMA 100", "RDMA 200", "RDMA 400")
}
hidden = [name for name, report in reports.items() if isclose(report["exposed_ms"], 0.0, abs_tol=1e-9)]
print("wholly hidden behind one step of 30 ms:", "; ".join(hidden))
print("predicted for 200 Gbit/s:", my_hidden_models)
draw_handoffs(reports, STEP_MS, title="8,192 tokens of KV behind one decode step")

# %% [markdown] key="real-read" lang="zh"
# **怎么读这张图**：蓝线以左的橙色被这一步计算盖住，蓝线以右的红色没有东西可盖。8B 模型走 200 Gbit/s 露出约 13 ms，70B 级的模型连 400 Gbit/s 也藏不进一步；DeepSeek-V3 有 671B 参数，靠 MLA 把每个词元压到约 69 KiB，只有那个 8B 模型的一半多，200 Gbit/s 就够了。
#
# 再看上面的表：NVLink 一栏只要几毫秒，几乎不用藏。DistServe 的放置策略让交接尽量走 NVLink，因此报告传输不到总延迟的 0.1%（OPT-175B）。链路选对了，比重叠更管用。

# %% [markdown] key="real-read" lang="en"
# **How to read it**: orange left of the blue line is covered by the step; for the red right of it nothing is left to cover with. An 8B model on 200 Gbit/s shows about 13 ms, a 70B-class model does not fit into one step even at 400. DeepSeek-V3 has 671B parameters, yet MLA squeezes a token to about 69 KiB, little more than half of the 8B model's, and 200 Gbit/s is enough.
#
# In the table above, the NVLink column leaves little to hide. DistServe places its stages so that handoffs stay on NVLink, and reports transfers below 0.1% of latency (OPT-175B). The right link beats clever overlap.

# %% [markdown] key="limits" lang="zh"
# ## 这套算法漏了什么
# 很多文章写：暴露时间 ≈ max(T − W, 0)，T 是传输时间，W 是窗口总长。它只看长度，不看位置，所以只能当**准入估计**（决定放不放这次传输进来的粗筛）：真实的暴露时间不会比它小。它说“藏不住”，那就一定藏不住；它说“藏得住”，却未必。下面用你的函数找反例。

# %% [markdown] key="limits" lang="en"
# ## Where the model lies
# Many texts write: exposed ≈ max(T − W, 0), with transfer time T and total window length W. It looks at lengths and never at positions, so it is an **admission estimate** ("may this transfer be let in?") and no more. Exposed time is never below it: "cannot be hidden" is final, "can" is only a maybe. Your own function finds counterexamples.

# %% key="limits-demo"
transfer = (0.0, 10.0)
for name, windows in {
    "one window, well placed": [(0.0, 8.0)],
    "same length, half too late": [(0.0, 4.0), (8.0, 12.0)],
    "same length, on top of itself": [(0.0, 4.0), (1.0, 5.0)],
}.items():
    length = sum(right - left for left, right in windows)
    exposed = compute_exposed_interval(transfer, windows)["exposed_ms"]
    print(f"{name:32} max(T-W, 0) = {max(10.0 - length, 0):g} ms   exposed = {exposed:g} ms")

# %% [markdown] key="limits-more" lang="zh"
# 位置算对了，也还有三件事不在你的函数里：**争用**，拷贝和计算抢同一份显存带宽，两边都会变慢，T 和 W 就不再是常数；**粒度**，传输按块提交，一块没到就用不上；**同步**，流上的一次等待会把窗口切短。
#
# 所以最后一本笔记 `cuda_streams` 要上机器量：同一组区间，看理论和实测差多少。

# %% [markdown] key="limits-more" lang="en"
# Even with positions right, three things are missing from your function. **Contention**: copy and compute compete for the same memory bandwidth, both slow down, and T and W are no longer constants. **Granularity**: a transfer moves in chunks, and half a chunk is useless. **Synchronisation**: one wait on a stream cuts a window short.
#
# That is why the last notebook, `cuda_streams`, goes and measures: the same intervals, theory against machine.

# %% key="contention-demo"
# 假想，不是实测：链路被旁边的计算拖慢 / a what-if, not a measurement: compute slows the link down
for slowdown in (1.0, 1.25, 1.5):
    report = estimate_handoff(12_500_000, 10.0 / slowdown, 0.0, 0.0, [(0.0, 8.0)])
    print(f"transfer takes {slowdown:g}x as long: {report['transfer_ms']:g} ms, exposed {report['exposed_ms']:g} ms")

# %% [markdown] key="summary" lang="zh"
# ## 小结
# * 暴露时间 = 传输区间减去独立工作的**并集**；只知道窗口总长，算不出来。
# * 传输时间 = 固定延迟 + 字节 ÷ 速率；换算时别忘了一个字节是 8 位。
# * max(T − W, 0) 只够用来否决，不够用来承诺。

# %% [markdown] key="summary" lang="en"
# ## Summary
# * Exposed time is the transfer minus the **union** of independent work; the summed length of the windows does not give it.
# * Transfer time is fixed latency plus bytes / rate; a byte is 8 bits, and the conversion must say so.
# * max(T − W, 0) can refuse, but it cannot promise.

# %% [markdown] key="reading" lang="zh"
# **延伸阅读**：[CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/) 的 Asynchronous Concurrent Execution 一节；论文 [DistServe](https://arxiv.org/abs/2401.09670)、[Splitwise](https://arxiv.org/abs/2311.18677)（逐层传输，端到端多花 0.8%，串行最多 3%）、[Mooncake](https://arxiv.org/abs/2407.00079)。

# %% [markdown] key="reading" lang="en"
# **Read on**: "Asynchronous Concurrent Execution" in the [CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/); the papers on [DistServe](https://arxiv.org/abs/2401.09670), [Splitwise](https://arxiv.org/abs/2311.18677) (layer by layer: 0.8% end to end, against up to 3% serialised) and [Mooncake](https://arxiv.org/abs/2407.00079).

# %% [markdown] key="check-all" lang="zh"
# ### 全部检查一遍
# 下一格把看得见的测试再跑一次，画出进度条。绿色只说明看得见的测试过了；大部分分数在批改时才检查的那些格子里。

# %% [markdown] key="check-all" lang="en"
# ### Check everything
# The next cell runs the visible tests once more and draws your progress. Green means that these pass; most points lie in the cells that only grading fills.

# %% key="check-all-run"
from tools.progress import check_all

check_all(
    {
        "TODO 1": [test_interval_union_and_exposed_time],
        "TODO 2": [test_handoff_estimate],
    }
)

# %% [markdown] key="last" lang="zh" edition="release"
# 下一本：`state_handoff`，搬完了不等于能用。自学的读者做完之后，可以对照课程仓库里 `notebooks/03_serving_overlap/solutions/zh/` 的解答。

# %% [markdown] key="last" lang="en" edition="release"
# Next: `state_handoff`. Arrived is not the same as usable. If you study on your own, compare with `notebooks/03_serving_overlap/solutions/en/` in the course repository when you are done.
