# %% [markdown] key="title" lang="zh"
# # 状态交接：搬完了，不等于能用了
# 上一本算的是“搬多久”。这一本问的是：字节到齐以后，解码凭什么相信这份 KV 缓存是自己的、是这一版的、是完整的？

# %% [markdown] key="title" lang="en"
# # State handoff: arrived is not the same as usable
# The previous notebook asked how long the move takes. This one asks what comes after: once the bytes are there, why should decode believe that this KV cache is its own, current and complete?

# %% [markdown] key="badges" badges=true

# %% [markdown] key="header" header=true

# %% key="setup" helpers=["tools/__init__.py", "tools/project_runtime.py", "tools/timeline.py", "tools/decisions.py", "tools/progress.py"]

# %% [markdown] key="recap" lang="zh"
# ## 两边各有各的账
# 预填充在一组 GPU 上写好 KV 缓存，解码在另一组 GPU 上读它。两边是两个进程，往往还是两台机器：各有各的内存、各有各的时钟，谁也看不见对方的变量。
#
# 所以“写完了没有”不能靠猜。下图里有一个解码进程猜了一次，猜早了。（freeze 是冻结元数据，meta 是元数据，register 是把块登记给解码方，后面“四个阶段”会细讲。）

# %% [markdown] key="recap" lang="en"
# ## Two sides, two sets of books
# Prefill writes the KV cache on one group of GPUs, decode reads it on another. They are two processes, often two machines, with their own memory and their own clocks; neither can see the other's variables.
#
# So whether payload and metadata are complete is not a matter for guessing. In the picture below one decoder guesses, and guesses too early.

# %% key="early-read"
from tools.timeline import draw_timeline

draw_timeline(
    {
        "prefill": [("compute", 0, 6, "write KV"), ("compute", 6, 9, "freeze")],
        "transfer": [("transfer", 9, 18, "payload"), ("transfer", 18, 20, "meta")],
        "register": [("idle", 0, 20), ("compute", 20, 22)],
        "decode, guessing": [("idle", 0, 12), ("wrong", 12, 22, "reads what is not there")],
        "decode, told": [("idle", 0, 22, "waits for the event"), ("compute", 22, 30, "decode")],
    },
    title="One handoff, two decoders: the second one waits to be told",
)

# %% [markdown] key="more-than-bytes" lang="zh"
# ## 交接的不只是字节
# KV 缓存切成固定大小的**块**存放，**块表**记下第几块放在哪里；为了省空间，数可以先除以一个**缩放因子**再存；每个词元的 K 里混进了它的**位置**；**所有权**说的是这些块现在归谁用、归谁释放。
#
# | 交出去的 | 少了它会怎样 |
# |---|---|
# | K/V 字节 | 读到未初始化的内存 |
# | 块表 | 块都在，顺序全乱 |
# | 序列位置 | 位置编码错位，每个词元都像站错了地方 |
# | 数据类型、缩放因子 | 同样的字节，解出另一组数 |
# | 请求标识、版本 | 读到别人的，或者上一轮的状态 |
# | 所有权 | 预填充那边提前释放，或者同一块被两边各释放一次 |

# %% [markdown] key="more-than-bytes" lang="en"
# ## A handoff is more than bytes
# A KV cache is stored in **blocks** of fixed size; the **block table** says where the n-th block lies. To save space, numbers may be divided by a **scale factor** before they are stored. Each token's **position** is mixed into its key. **Ownership** says who may use the blocks now, and who frees them.
#
# | what is handed over | what goes wrong without it |
# |---|---|
# | K/V bytes | decode reads uninitialised memory |
# | block table | every block is there, in the wrong order |
# | positions in the sequence | every token seems to stand somewhere else |
# | dtype, scale factors | the same bytes decode to other numbers |
# | request id, version | somebody else's state, or last round's |
# | ownership | prefill frees too early, or both sides free the same block |

# %% [markdown] key="predict-1" lang="zh"
# ### 猜一猜（一）
# 发送方有 1 到 8 这八个数，先除以缩放因子 0.5，再存成 float16，分成两块发出。接收方拿到的字节**一个不差**，但是：甲把块表读反了，乙当成了 bfloat16（也是 16 位，指数和尾数的分法不同），丙忘了乘回缩放因子。三个人各能读对几个数？会报几个错？

# %% [markdown] key="predict-1" lang="en"
# ### Predict (1)
# The sender has the numbers 1 to 8, divides them by a scale factor of 0.5, stores them as float16 and sends two blocks. The receivers get **exactly** these bytes. But one swaps the block table, one reads bfloat16 (16 bits as well, split differently between exponent and fraction), and one forgets to multiply by the scale. How many numbers does each get right, and how many errors are raised?

# %% key="predict-1-answer"
my_right_numbers = {"block table": None, "dtype": None, "scale": None}  # 各读对几个 / how many each gets right
my_errors = None  # 会报几个错 / how many errors are raised

# %% key="same-bytes"
import numpy as np

scale = 0.5
sent = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
wire = (sent / scale).astype(np.float16).tobytes()  # 路上的字节 / what travels: two blocks of four

blocks = np.frombuffer(wire, np.float16).astype(np.float64).reshape(2, 4)
as_bfloat16 = (np.frombuffer(wire, np.uint16).astype(np.uint32) << 16).view(np.float32)
received = {"block table": blocks[[1, 0]].ravel() * scale, "dtype": as_bfloat16 * scale, "scale": blocks.ravel()}
for fault, values in received.items():
    shown = " ".join(f"{value:g}" for value in values)
    print(f"{fault:12} {np.sum(values == sent)} of 8 right (predicted: {my_right_numbers[fault]}): {shown}")

# %% [markdown] key="same-bytes-read" lang="zh"
# 几乎全错，却没有一行报错。（乙对了一个，纯属巧合：1 除以 0.5 在路上是 2.0，而 2.0 在两种格式里的位模式恰好相同。）校验和也救不了你：字节完全一致。所以交接要带上一份**契约**，接收方逐条核对之后才读。
#
# 更麻烦的是，生成的文字也未必看得出来：位置错一格，每次都挑最可能的词元，解码结果照样可能一模一样。

# %% [markdown] key="same-bytes-read" lang="en"
# Nearly all wrong, and no error anywhere. (The one hit is luck: 1 travels as 1 / 0.5 = 2.0, and 2.0 happens to have the same bits in both formats.) A checksum would not have helped: the bytes are identical. So a handoff carries a **contract**, and the receiver checks it clause by clause before it reads.
#
# Worse, the generated text may look fine as well: with positions off by one, always picking the likeliest token can still decode to the very same text. The text alone does not tell you.

# %% [markdown] key="four-phases" lang="zh"
# ## 四个阶段，四种坏法
# | 阶段 | 到这里必须成立 | 没成立会看到什么 |
# |---|---|---|
# | 预填充收尾 | KV 写完，元数据冻结 | 读到写了一半的状态 |
# | 传输 | 数据和元数据都已到达 | 字节缺失，版本对不上 |
# | 注册 | 块地址和所有权对解码可见 | 找不到块，重复释放 |
# | 开始解码 | 依赖的事件全部满足 | 不等就读，算出垃圾；事件不来，第一步一直卡住 |

# %% [markdown] key="four-phases" lang="en"
# ## Four phases, four ways to fail
# | phase | what must hold by now | what you see if it doesn't |
# |---|---|---|
# | prefill finalize | KV written, metadata frozen | a state that is half old, half new |
# | transfer | payload and metadata have arrived | missing bytes, versions that disagree |
# | register | block addresses and ownership visible to decode | block not found, double free |
# | decode start | every event it depends on has happened | garbage if it starts anyway, stuck if the event never comes |

# %% [markdown] key="submitted" lang="zh"
# ## “已提交”不是“已完成”
# PyTorch 的 `copy_(non_blocking=True)`（源在锁页内存里）、一次 RDMA 写、往队列里塞一条消息：这些调用返回的时候，数据可能还一个字节都没动。完成要由**事件**（比如 CUDA event）或**协议**（对端的确认）来宣布。下面写一个玩具拷贝引擎，每走一步只搬一块，看个清楚。

# %% [markdown] key="submitted" lang="en"
# ## "Submitted" is not "done"
# When PyTorch's `copy_(non_blocking=True)` from pinned memory, an RDMA write or a message to a queue returns, not a single byte may have moved yet. Completion is announced by an **event** (a CUDA event, say) or by a **protocol** (the peer's acknowledgement). Here is a toy copy engine that moves one block per step.

# %% key="copy-engine"
class CopyEngine:
    """每步搬一块；done 就是完成事件。Moves one block in each step; `done` is its completion event."""

    def __init__(self):
        self.queue, self.done = [], True

    def submit(self, source, target):
        self.queue += [(source, target, index) for index in range(len(source))]
        self.done = False

    def step(self):
        source, target, index = self.queue.pop(0)
        target[index] = source[index]
        self.done = not self.queue


# %% key="copy-engine-run"
engine, target = CopyEngine(), ["?"] * 4
engine.submit(["k0", "k1", "k2", "k3"], target)
print("submit() has returned:", target, "done =", engine.done)
while not engine.done:
    engine.step()
    print("one step later:       ", target, "done =", engine.done)

# %% [markdown] key="todo3-header" lang="zh"
# ## TODO 3 · `validate_handoff_state`（约 3 行，25 分）
# 解码拿到一份状态字典，例如 `{"request_id": "r1", "version": 3, "payload_ready": True}`（其余字段还没到）；`version` 是整数，权重、提示词或存放的槽位换了就会变。**没就绪的**和**对不上的**是两类问题，要分开收集：前者等一等也许就好，后者光等没用，得换一份状态。

# %% [markdown] key="todo3-header" lang="en"
# ## TODO 3 · `validate_handoff_state` (about 3 lines, 25 points)
# Decode receives a dict that describes the state, say `{"request_id": "r1", "version": 3, "payload_ready": True}` (the rest has not come yet); `version` is an integer that changes with the weights, the prompt or the slot. **Not ready** and **not mine** are different troubles, so collect them apart: waiting may cure the first; the second needs another state.

# %% [markdown] key="todo3-contract" lang="zh"
# **约定**：`missing` 按 `payload_ready`、`metadata_ready`、`ownership_ready` 的次序，列出不存在或不为真的字段；`incompatible` 按 `request_id`、`version` 的次序，列出与期望不完全相等的字段（不存在也算）。两者都是列表，两张都空才是 `ready`；其他字段一概不看；不修改参数。写完把 `raise` 那行删掉。

# %% [markdown] key="todo3-contract" lang="en"
# **Contract**: `missing` names, in the order `payload_ready`, `metadata_ready`, `ownership_ready`, the fields that are absent or not true; `incompatible` names, in the order `request_id`, `version`, those that are not exactly what is expected (absent counts). Both are lists, and `ready` means that both are empty; other fields are ignored; the arguments stay unchanged. Delete the `raise` line when you are done.

# %% grade_id="given-state-check" locked=true
def check_state(handoff_state, expected_request_id, expected_version):
    """给定：说不清的状态直接拒绝。Given: refuse a state that cannot mean anything."""
    if not isinstance(expected_request_id, str) or not expected_request_id:
        raise ValueError(f"expected_request_id = {expected_request_id!r}: 要求非空字符串 / must be a non-empty str")
    for name, version in (("expected_version", expected_version), ("version", handoff_state.get("version", 0))):
        if type(version) is not int:
            raise ValueError(f"{name} = {version!r}: 要求整数 / must be an int")
    for name in ("payload_ready", "metadata_ready", "ownership_ready"):
        if name in handoff_state and not isinstance(handoff_state[name], bool):
            raise ValueError(f"{name} = {handoff_state[name]!r}: 要求 True 或 False / must be True or False")


# %% grade_id="given-instant-check" locked=true
from math import isfinite


def check_instant(name, value):
    """给定：时刻必须是有限的数。Given: an instant is a finite number."""
    if isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"{name} = {value!r}: 要求有限的数 / must be a finite number")


# %% grade_id="todo3-handoff-state" solution=true
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    """解码能不能读这份状态。Whether decode may read this state.

    返回 / returns {'ready': bool, 'missing': [...], 'incompatible': [...]}
    """
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    # TODO 3 · 约 3 行 / about 3 lines: 分别收集没就绪的和对不上的
    #                                   collect what is not ready, and apart from it what does not match
    # missing = ...
    # incompatible = ...
    ### BEGIN SOLUTION
    missing = [name for name in required if not handoff_state.get(name, False)]
    expected = {"request_id": expected_request_id, "version": expected_version}
    incompatible = [name for name in expected if handoff_state.get(name) != expected[name]]
    ### END SOLUTION
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}


# %% [markdown] key="todo3-solution" lang="zh" edition="solution"
# ### 解析：TODO 3
# **为什么是两张清单。** 没就绪是时间问题，对不上是身份问题。混在一起，调度器就只能二选一：要么对着别人的状态一直等下去，要么把只差一毫秒的状态扔掉重算。
#
# **为什么用 `get`。** 字段不存在，说明那条消息还没到，不是程序出错；直接取下标会让一个 `KeyError` 打断整个调度循环。标识和版本缺失时，这里按约定判成“对不上”；代价见后面“空字典”那一条。

# %% [markdown] key="todo3-solution" lang="en" edition="solution"
# ### Why it works: TODO 3
# **Why two lists.** Not ready is a question of time, not matching is a question of identity. Mixed together they leave a scheduler two bad choices: wait for ever on somebody else's state, or recompute one that was a millisecond short.
#
# **Why `get`.** An absent field means that a message has not come yet. That is ordinary, and a `KeyError` for it would bring down the scheduling loop. An absent id or version counts as "does not match" by contract; what that costs, you see at the end.

# %% [markdown] key="todo3-solution-equal" lang="zh" edition="solution"
# **版本为什么要“等于”，不是“不小于”。** 更新的版本同样不能读：权重换过、提示词改过、这个槽位已经转给下一轮了，都会让版本变大。“越新越好”是缓存的直觉，交接要的是“正是这一份”。
#
# **为什么次序固定。** 清单会进日志、进告警、进测试。同一个故障每次都写成同一行，才数得清、查得到。

# %% [markdown] key="todo3-solution-equal" lang="en" edition="solution"
# **Why equal, and not "at least".** A newer version is just as unreadable: new weights, an edited prompt, a slot that now belongs to the next round all raise it. "Newer is better" is a cache's instinct. A handoff wants this very one.
#
# **Why the order is fixed.** These lists end in logs, alerts and tests. The same fault should always be the same line, or nobody can count it.

# %% [markdown] key="todo3-own-timeline" lang="zh"
# ### 你的判断，画成时间线
# 字段一个接一个到达。每次有新字段，就拿当时的状态去问**你的函数**；最后一行是它的回答。第 18 ms，这个槽位转给了下一版：刚刚还能读的状态，一下子对不上了，再等也等不回来。

# %% [markdown] key="todo3-own-timeline" lang="en"
# ### Your verdict as a timeline
# Fields arrive one after another. At each arrival **your function** is asked about the state as it then is; the last row is what it said. At 18 ms the slot passes to the next version: what could be read a moment ago no longer matches, and waiting will not bring it back.

# %% key="todo3-picture"
from tools.decisions import draw_readiness

arrivals = [
    (0.0, {"request_id": "r1", "version": 3}),
    (4.0, {"payload_ready": True}),
    (9.0, {"metadata_ready": True}),
    (12.0, {"ownership_ready": True}),
    (18.0, {"version": 4}),
]
draw_readiness(validate_handoff_state, arrivals, expected=("r1", 3), end_ms=22.0)

# %% grade_id="todo3-handoff-state-test-visible" points=5
# 看得见的测试 · a test you can see
def expect_state(state, missing, incompatible, rule):
    """批改也用它：期望请求 r1、版本 3。Grading uses it too: request r1, version 3 are expected."""
    before = dict(state)
    report = validate_handoff_state(state, "r1", 3)
    keys = {"ready", "missing", "incompatible"}
    assert set(report) == keys, "返回的键不对 / the keys are not the three asked for"
    types = {type(report["missing"]), type(report["incompatible"])}
    assert types == {list}, "两份清单都要是列表 / both must be lists"
    assert report["missing"] == missing, rule
    assert report["incompatible"] == incompatible, rule
    ready = not missing and not incompatible
    assert report["ready"] is ready, "两份清单都空才算就绪 / ready means that both lists are empty"
    assert state == before, "不要修改传入的状态 / the state must stay as it was"


def test_handoff_protocol():
    """缺失和不兼容要分开收集。Missing and incompatible are collected apart."""
    flags = {"payload_ready": True, "metadata_ready": False, "ownership_ready": True}
    state = {**flags, "request_id": "r1", "version": 3}
    expect_state(state, ["metadata_ready"], [], "没就绪的字段进 missing / what is not ready goes to missing")
    state["metadata_ready"] = True
    expect_state({**state, "version": 2}, [], ["version"], "版本不同进 incompatible / another version: incompatible")
    expect_state(state, [], [], "全部满足就是就绪 / everything in place: ready")


test_handoff_protocol()

# %% [markdown] key="todo3-hint" lang="zh"
# <details><summary>提示</summary>
#
# 两次筛选。第一次在 `required` 里挑，第二次在 `request_id`、`version` 这两个名字里挑。`dict.get(name)` 找不到时返回什么？它等于你期望的值吗？
#
# </details>

# %% [markdown] key="todo3-hint" lang="en"
# <details><summary>Hint</summary>
#
# Two selections: one from `required`, one from the two names `request_id` and `version`. What does `dict.get(name)` return for a name that is absent, and does that equal what you expect?
#
# </details>

# %% [markdown] key="todo3-more" lang="zh"
# 和上一本一样：批改时每格用新数据检查一条规则，这里运行没有输出，不代表已经通过。

# %% [markdown] key="todo3-more" lang="en"
# As in the previous notebook, grading fills each of these cells with other data for one rule. No output here does not mean that they pass.

# %% grade_id="todo3-handoff-state-test-missing" points=7
# 规则：缺一个、缺几个、全缺，都要按次序列出
# rule: one, several or all missing, always named, always in order
### BEGIN HIDDEN TESTS
from itertools import product

FLAGS = ["payload_ready", "metadata_ready", "ownership_ready"]
for values in product([True, False, None], repeat=3):
    state = {"ownership_ready": values[2], "request_id": "r1", "payload_ready": values[0], "version": 3, "metadata_ready": values[1]}
    state = {name: value for name, value in state.items() if value is not None}
    open_flags = [name for name, value in zip(FLAGS, values) if not value]
    expect_state(state, open_flags, [], "不存在或为 False 的字段都要进 missing，次序固定 / absent or False: named in missing, in the given order")
### END HIDDEN TESTS

# %% grade_id="todo3-handoff-state-test-identity" points=8
# 规则：标识和版本必须与期望完全一致
# rule: request id and version must be exactly the expected ones
### BEGIN HIDDEN TESTS
whole = {"payload_ready": True, "metadata_ready": True, "ownership_ready": True, "request_id": "r1", "version": 3}
expect_state({**whole, "request_id": "r2"}, [], ["request_id"], "别人的请求标识不兼容 / another request's id is incompatible")
expect_state({**whole, "request_id": "r10"}, [], ["request_id"], "标识要整串相等，不是前缀相同 / ids are equal as a whole, not by prefix")
expect_state({**whole, "request_id": "R1"}, [], ["request_id"], "标识区分大小写 / ids are case-sensitive")
for request_id in ("r", "1", "", " r1", "r1 ", "r7"):
    expect_state({**whole, "request_id": request_id}, [], ["request_id"], "标识要一字不差 / ids match to the last character")
for version in (2, 4, 0, -3, 30):
    expect_state({**whole, "version": version}, [], ["version"], "版本更旧、更新都不兼容 / older and newer versions are both incompatible")
expect_state({**whole, "version": 7, "request_id": "r9"}, [], ["request_id", "version"], "两者都不同时都要列出，次序固定 / both differ: name both, in the given order")
without_id = {name: value for name, value in whole.items() if name != "request_id"}
without_version = {name: value for name, value in whole.items() if name != "version"}
expect_state(without_id, [], ["request_id"], "没有标识就不能认领 / no id: it cannot be claimed")
expect_state(without_version, [], ["version"], "没有版本就无法确认 / no version: it cannot be confirmed")
for version in (0, -1, 1):
    unknown = validate_handoff_state(without_version, "r1", version)
    assert unknown["incompatible"] == ["version"], "没有版本就无法确认 / no version: it cannot be confirmed"
    same = validate_handoff_state({**whole, "version": version}, "r1", version)
    assert same["incompatible"] == [] and same["ready"] is True, "版本相等就兼容，0 也是版本 / equal versions are compatible, and 0 is a version"
unknown = validate_handoff_state(without_id, "None", 3)
assert unknown["incompatible"] == ["request_id"], "没有标识就不能认领 / no id: it cannot be claimed"
equal = validate_handoff_state({**whole, "request_id": "".join(["req", "-8"]), "version": int("70000")}, "".join(["req", "-8"]), int("70000"))
assert equal["incompatible"] == [], "值相等就算相等 / equal values are equal"
other = validate_handoff_state({**whole, "request_id": "r1", "version": 3}, "r7", 8)
assert other["incompatible"] == ["request_id", "version"], "要和传入的期望值比 / compare with the expected values that are passed in"
### END HIDDEN TESTS

# %% grade_id="todo3-handoff-state-test-apart" points=5
# 规则：两类问题互不影响，同时出现就同时列出
# rule: the two kinds do not mix; if both occur, both are named
### BEGIN HIDDEN TESTS
expect_state({"payload_ready": True, "version": 4, "request_id": "r1"}, ["metadata_ready", "ownership_ready"], ["version"], "没就绪和对不上要同时列出 / not ready and not matching are both named")
expect_state({"request_id": "r2", "payload_ready": False, "metadata_ready": True, "ownership_ready": True, "version": 3}, ["payload_ready"], ["request_id"], "一类问题不能盖住另一类 / one kind must not hide the other")
expect_state({}, ["payload_ready", "metadata_ready", "ownership_ready"], ["request_id", "version"], "空状态：五项全列 / an empty state names all five")
expect_state({"payload_ready": True, "metadata_ready": True, "ownership_ready": True, "request_id": "r1", "version": 3, "note": "x"}, [], [], "多余的字段不影响判断 / extra fields change nothing")
### END HIDDEN TESTS

# %% [markdown] key="decide" lang="zh"
# ## 还没齐，要不要等
# 核对之后，解码有四条路。**ready**：直接开始。**recompute**：收到的状态不对，扔掉，让预填充重算一份。**wait**：状态没错，还没齐，但来得及。**fallback**：状态没错，可是赶不上了，放弃这次传输，回退到备用方案；用哪个方案（比如在解码 GPU 上就地预填充），由上层调度决定。
#
# 次序有讲究：先看对不对得上，再看齐不齐，最后才看时间。对不上的状态，等到了也不能用。

# %% [markdown] key="decide" lang="en"
# ## Not complete yet: wait or not?
# After the check, decode has four ways to go. **ready**: start. **recompute**: the state is wrong, have prefill make a new one. **wait**: nothing wrong, incomplete, but it will be in time. **fallback**: nothing wrong, but too late: fall back to plan B, which one (prefill on the decode GPU?) is up to the scheduler.
#
# The order matters. Does it match? Is it complete? Only then: is there time? A state that does not match is no better when it arrives.

# %% [markdown] key="predict-2" lang="zh"
# ### 猜一猜（二）
# **截止时间**是“最晚到这一刻开始还有用”。元数据还没到，预计第 10 ms 就绪；截止时间也正好是第 10 ms。等，还是回退？写下 `'wait'` 或 `'fallback'`。

# %% [markdown] key="predict-2" lang="en"
# ### Predict (2)
# The **deadline** is the last instant at which starting still helps. The metadata is not there yet; it should be ready at 10 ms, and the deadline is 10 ms as well. Wait or fall back? Write `'wait'` or `'fallback'`.

# %% key="predict-2-answer"
my_action = None  # 你的猜测 / your guess

# %% [markdown] key="todo4-header" lang="zh"
# ## TODO 4 · `plan_decode_start`（约 1 行，15 分）
# 前两步判断已经写好。你补上最后一步：状态还没齐，预计 `ready_at_ms` 就绪，截止时间是 `deadline_ms`，还等得起吗？
#
# **约定**：恰好等于截止时间算来得及；返回 `'recompute'`、`'ready'`、`'wait'`、`'fallback'` 之一；不修改参数。

# %% [markdown] key="todo4-header" lang="en"
# ## TODO 4 · `plan_decode_start` (about 1 line, 15 points)
# The first two questions are answered for you. Add the third: the state is incomplete, expected at `ready_at_ms`, and the deadline is `deadline_ms`. Can decode afford to wait?
#
# **Contract**: exactly at the deadline is still in time; the result is one of `'recompute'`, `'ready'`, `'wait'`, `'fallback'`; the arguments stay unchanged.

# %% grade_id="todo4-decode-start" solution=true
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    """解码现在做什么。What decode does now.

    validation: validate_handoff_state 的返回值 / what validate_handoff_state returned
    返回 / returns 'recompute' | 'ready' | 'wait' | 'fallback'
    """
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    # TODO 4 · 约 1 行 / about 1 line: 到截止时间为止（含这一刻）能就绪吗
    #                                     ready by the deadline, or exactly at it?
    # can_wait = ...
    ### BEGIN SOLUTION
    can_wait = ready_at_ms <= deadline_ms
    ### END SOLUTION
    return "wait" if can_wait else "fallback"


# %% [markdown] key="todo4-solution" lang="zh" edition="solution"
# ### 解析：TODO 4
# **为什么是 `<=`。** 截止时间的意思是“最晚到这一刻”，这一刻本身也算。写成 `<`，恰好踩线的请求会被白白送去回退，而按周期对齐的系统里，踩线一点也不罕见。两边都要测：早一点、正好、晚一点。
#
# **为什么比较，而不是看差多少。** `abs(ready - deadline)` 小只说明离得近，说不出是早是晚；给一点“容差”也一样，等于偷偷把截止时间往后挪。

# %% [markdown] key="todo4-solution" lang="en" edition="solution"
# ### Why it works: TODO 4
# **Why `<=`.** A deadline says "no later than". With `<`, a request that lands exactly on it falls back for nothing, and in systems that tick in periods, landing exactly is not rare. Test all three: before, at, after.
#
# **Why compare, and not measure the gap.** A small `abs(ready - deadline)` says near, never early or late. A "tolerance" is no better: it moves the deadline without telling anybody.

# %% [markdown] key="todo4-solution-order" lang="zh" edition="solution"
# **为什么先看不兼容。** 若先看时间，解码就会去等一份别人的状态；等来了还是不能用，时间却花掉了。**为什么就绪之后不看截止时间。** 状态已经在手里，立刻开始就是最快的选择；要不要放弃一个已经迟了的请求，是上层调度的事。

# %% [markdown] key="todo4-solution-order" lang="en" edition="solution"
# **Why incompatibility comes first.** Ask about time first, and decode waits for somebody else's state as long as it is punctual; then it arrives, is useless, and the time is gone. **Why a ready state ignores the deadline.** It is in hand, so starting now is the fastest thing to do. Whether to drop a request that is already late is the scheduler's business, one level up.

# %% [markdown] key="todo4-own-picture" lang="zh"
# ### 你的决策地图
# 每个小格子是对**你的函数**的一次调用。看虚线**穿过**的格子：那里 `ready_at_ms` 恰好等于 `deadline_ms`，它们该跟虚线的哪一侧同色？

# %% [markdown] key="todo4-own-picture" lang="en"
# ### Your decision map
# Each square is one call of **your function**. Look at the squares that the dashed line crosses: there `ready_at_ms` equals `deadline_ms`. Which side should they agree with?

# %% key="todo4-picture"
from tools.decisions import draw_decisions

draw_decisions(
    plan_decode_start,
    {
        "metadata missing": {"ready": False, "missing": ["metadata_ready"], "incompatible": []},
        "all there": {"ready": True, "missing": [], "incompatible": []},
        "wrong version": {"ready": False, "missing": [], "incompatible": ["version"]},
    },
)

# %% grade_id="todo4-decode-start-test-visible" points=4
# 看得见的测试 · a test you can see
def test_decode_decision():
    """缺失、超时、不兼容、就绪，各走各的路。Four situations, four actions."""
    incomplete = {"ready": False, "missing": ["metadata_ready"], "incompatible": []}
    assert plan_decode_start(incomplete, 8.0, 10.0) == "wait", "来得及就等 / in time: wait"
    assert plan_decode_start(incomplete, 12.0, 10.0) == "fallback", "来不及就回退 / too late: fall back"
    foreign = {"ready": False, "missing": [], "incompatible": ["version"]}
    assert plan_decode_start(foreign, 8.0, 10.0) == "recompute", "对不上就重算 / does not match: recompute"
    complete = {"ready": True, "missing": [], "incompatible": []}
    assert plan_decode_start(complete, 8.0, 10.0) == "ready", "齐了就开始 / complete: start"


test_decode_decision()

# %% [markdown] key="todo4-hint" lang="zh"
# <details><summary>提示</summary>
#
# 一次比较就够。拿“正好等于”去试：约定说这时还来得及。
#
# </details>

# %% [markdown] key="todo4-hint" lang="en"
# <details><summary>Hint</summary>
#
# One comparison is enough. Try it on "exactly equal": the contract says that this is still in time.
#
# </details>

# %% grade_id="todo4-decode-start-test-deadline" points=6
# 规则：早于、恰好等于、晚于截止时间，都要判对
# rule: before, exactly at and after the deadline
### BEGIN HIDDEN TESTS
from math import nextafter

late = {"ready": False, "missing": ["payload_ready"], "incompatible": []}
for ready_at_ms, deadline_ms, action in [
    (10.0, 10.0, "wait"), (0.0, 0.0, "wait"), (9.999, 10.0, "wait"), (10.001, 10.0, "fallback"),
    (10.4, 10.2, "fallback"), (10.2, 10.4, "wait"), (1.0, 500.0, "wait"), (500.0, 1.0, "fallback"),
    (-5.0, -4.0, "wait"), (-4.0, -5.0, "fallback"), (-4.0, -4.0, "wait"), (3, 4, "wait"), (4, 3, "fallback"),
    (10.0000001, 10.0, "fallback"), (nextafter(10.0, 11.0), 10.0, "fallback"), (nextafter(10.0, 9.0), 10.0, "wait"),
]:
    assert plan_decode_start(late, ready_at_ms, deadline_ms) == action, "不晚于截止时间就等，晚了就回退，恰好相等算来得及 / by the deadline or exactly at it: wait; later: fall back"
assert late == {"ready": False, "missing": ["payload_ready"], "incompatible": []}, "不要修改传入的验证结果 / the validation must stay as it was"
### END HIDDEN TESTS

# %% grade_id="todo4-decode-start-test-priority" points=5
# 规则：先看兼容，再看就绪，最后才看时间
# rule: first compatibility, then readiness, then time
### BEGIN HIDDEN TESTS
for missing in (["payload_ready"], ["metadata_ready", "ownership_ready"], ["payload_ready", "metadata_ready", "ownership_ready"]):
    incomplete = {"ready": False, "missing": missing, "incompatible": []}
    assert plan_decode_start(incomplete, 5.0, 6.0) == "wait", "缺几项不影响等不等 / how many are missing does not matter"
    assert plan_decode_start(incomplete, 6.0, 5.0) == "fallback", "缺几项不影响等不等 / how many are missing does not matter"
for incompatible in (["request_id"], ["version"], ["request_id", "version"]):
    for missing in ([], ["payload_ready"]):
        foreign = {"ready": False, "missing": list(missing), "incompatible": list(incompatible)}
        for ready_at_ms in (1.0, 5.0, 9.0):
            assert plan_decode_start(foreign, ready_at_ms, 5.0) == "recompute", "对不上的状态，时间再够也要重算 / what does not match is recomputed, however much time there is"
        assert foreign == {"ready": False, "missing": missing, "incompatible": incompatible}, "不要修改传入的验证结果 / the validation must stay as it was"
complete = {"ready": True, "missing": [], "incompatible": []}
for ready_at_ms in (1.0, 5.0, 9.0):
    assert plan_decode_start(complete, ready_at_ms, 5.0) == "ready", "已经齐了就立刻开始 / what is complete starts at once"
assert complete == {"ready": True, "missing": [], "incompatible": []}, "不要修改传入的验证结果 / the validation must stay as it was"
### END HIDDEN TESTS

# %% key="predict-2-check"
on_the_edge = plan_decode_start({"ready": False, "missing": ["metadata_ready"], "incompatible": []}, 10.0, 10.0)
print(f"computed: {on_the_edge}; predicted: {my_action}")

# %% [markdown] key="together" lang="zh"
# ## 连起来走一遍
# 上一本的 `estimate_handoff` 给出 `end_ms`，那是字节到齐的时刻；再加上注册要用的时间，才是这里的 `ready_at_ms`。下面拿四种情形，让你的两个函数接力。

# %% [markdown] key="together" lang="en"
# ## The whole way
# `estimate_handoff` in the previous notebook returns `end_ms`, when the bytes have arrived; add the time to register and you have this notebook's `ready_at_ms`. Four situations, handed from one of your functions to the other:

# %% key="together-run"
def decide(version, metadata_ready, ready_at_ms):
    state = {"payload_ready": True, "metadata_ready": metadata_ready, "ownership_ready": True}
    validation = validate_handoff_state({**state, "request_id": "r1", "version": version}, "r1", 3)
    return plan_decode_start(validation, ready_at_ms, 10.0)


def test_handoff_protocol_and_decision():
    """缺失、版本变化和截止时间，引出不同的动作。Missing, version and deadline lead to different actions."""
    actions = [decide(3, False, 8.0), decide(3, False, 12.0), decide(2, True, 8.0), decide(3, True, 8.0)]
    assert actions == ["wait", "fallback", "recompute", "ready"], "两个函数接不上 / the two do not fit together"


# %% key="together-print"
for version, metadata_ready, ready_at_ms in [(3, False, 8.0), (3, False, 12.0), (2, True, 8.0), (3, True, 8.0)]:
    action = decide(version, metadata_ready, ready_at_ms)
    print(f"version {version}, metadata_ready {metadata_ready!s:5}, ready_at_ms {ready_at_ms:4}: {action}")
test_handoff_protocol_and_decision()

# %% [markdown] key="limits" lang="zh"
# ## 这两个函数漏了什么
# * **“还没到”被当成了“对不上”。** 空字典里没有标识，于是判为不兼容，去重算，其实等一等就好。
# * **函数不知道现在几点。** 就算 `ready_at_ms` 早就过了、东西还没到，它照样说等。两台机器的时钟对不上，所以真实系统之间传的是“还剩多少时间”，不是“几点几分”。
# * **契约只查了五项。** 块表、位置、数据类型、缩放因子都没查，本笔记开头那三种读法，一个也拦不住。

# %% [markdown] key="limits" lang="en"
# ## Where the model lies
# * **"Not here yet" passes for "does not match".** An empty dict has no id, so it is recomputed where patience would do.
# * **There is no "now".** A `ready_at_ms` long past still says wait. Two machines have two clocks: send the time left.
# * **The contract has five clauses.** No block table, positions, dtype or scale: none of our three readers would be stopped.

# %% [markdown] key="limits-demo-text" lang="zh"
# 前两条，用你的函数当场看一眼。第 4 章（筹备中）会逐条补上这三处：有期限的所有权、剩余时间、绑定位置的块校验。

# %% [markdown] key="limits-demo-text" lang="en"
# See the first two with your own functions. Chapter 4 (to come) mends all three: ownership with a time limit, time remaining, block hashes bound to positions.

# %% key="limits-demo"
nothing_yet = validate_handoff_state({}, "r1", 3)
print("nothing has arrived:", plan_decode_start(nothing_yet, 8.0, 10.0))

incomplete = {"ready": False, "missing": ["ownership_ready"], "incompatible": []}
print("expected at 8 ms, whatever the clock says now:", plan_decode_start(incomplete, 8.0, 10.0))

# %% [markdown] key="real-systems" lang="zh"
# ## 真实系统怎么做
# | 系统 | 怎么协调“可以读”和“可以放” |
# |---|---|
# | vLLM NIXL 连接器 | 先比对两边配置算出的哈希（版本、模型、数据类型、KV 头……）；解码端来读，读完通知，预填充才释放；保留期 30 s，解码端定时发心跳续期 |
# | SGLang | 两边各有队列和状态机：Bootstrapping、WaitingForInput、Transferring、Success、Failed |
# | Mooncake | 传输未完时批次号不许释放；接收方确认才算完成 |
# | DistServe | 解码端先分配再拉取，预填充收到回调才释放 |

# %% [markdown] key="real-systems" lang="en"
# ## What real systems do
# | system | how it guards the handoff |
# |---|---|
# | vLLM NIXL connector | compares a hash of both configurations (version, model, dtype, KV heads, ...); decode reads, then notifies, and only then prefill frees; kept for 30 s, renewed by heartbeats |
# | SGLang | queues and a state machine on both sides: Bootstrapping, WaitingForInput, Transferring, Success, Failed |
# | Mooncake | a batch id may not be freed while the batch is pending; it is done when the receiver acknowledges |
# | DistServe | decode allocates, then pulls; prefill frees on callback |

# %% [markdown] key="summary" lang="zh"
# ## 小结
# * 交接 = 字节 + 契约。字节齐了，契约没核对，就不能读。
# * “没就绪”和“对不上”分开记：一个可以等，一个等不来。
# * 完成由事件或协议宣布，不由“已提交”推断。
# * 先问身份，再问齐不齐，最后问时间。

# %% [markdown] key="summary" lang="en"
# ## Summary
# * A handoff is bytes plus a contract. Bytes without a checked contract are not to be read.
# * Keep "not ready" and "not mine" apart: one can be waited for, the other cannot.
# * Completion is announced, by an event or a protocol. "Submitted" proves nothing.
# * Identity first, then completeness, then time.

# %% [markdown] key="reading" lang="zh"
# **延伸阅读**：[vLLM](https://docs.vllm.ai/) 与 [SGLang](https://docs.sglang.ai/) 文档中 PD 分离的部分；论文 [Mooncake](https://arxiv.org/abs/2407.00079) 与 [DistServe](https://arxiv.org/abs/2401.09670)。

# %% [markdown] key="reading" lang="en"
# **Read on**: the parts on disaggregated prefill in the documentation of [vLLM](https://docs.vllm.ai/) and [SGLang](https://docs.sglang.ai/); the papers on [Mooncake](https://arxiv.org/abs/2407.00079) and [DistServe](https://arxiv.org/abs/2401.09670).

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
        "TODO 3": [test_handoff_protocol],
        "TODO 4": [test_decode_decision, test_handoff_protocol_and_decision],
    }
)

# %% [markdown] key="last" lang="zh" edition="release"
# 下一本：`cuda_streams`，上机去量。自学的读者做完之后，可以对照课程仓库里 `notebooks/03_serving_overlap/solutions/zh/` 的解答。

# %% [markdown] key="last" lang="en" edition="release"
# Next: `cuda_streams`, where you measure. If you study on your own, compare with `notebooks/03_serving_overlap/solutions/en/` in the course repository when you are done.
