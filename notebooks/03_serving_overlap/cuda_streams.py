# %% [markdown] key="title" lang="zh"
# # 上机验证：传输真的藏进计算里了吗
# 前两本用纸面上的时间段算账。这一本让机器说话：一条队列搬数据，一条队列做矩阵乘，量出重叠到底省下多少。没有 GPU 也能做：CPU 上用两个线程重做同一个实验。

# %% [markdown] key="title" lang="en"
# # On a real machine: does the copy really hide behind compute?
# The first two notebooks did the sums on paper. Now a machine answers: one queue copies, one multiplies matrices, and you measure what the overlap saves. No GPU? Two CPU threads run the same experiment.

# %% [markdown] key="badges" badges=true

# %% [markdown] key="header" header=true

# %% key="setup" helpers=["tools/__init__.py", "tools/project_runtime.py", "tools/notebook_runtime.py", "tools/timeline.py", "tools/overlap/__init__.py", "tools/overlap/__main__.py", "tools/overlap/analysis.py", "tools/overlap/asset_table.py", "tools/overlap/backends.py", "tools/overlap/calibration.py", "tools/overlap/cpu_threads.py", "tools/overlap/cuda.py", "tools/overlap/cuda_buffers.py", "tools/overlap/cuda_device.py", "tools/overlap/decision.py", "tools/overlap/errors.py", "tools/overlap/estimates.py", "tools/overlap/experiment.py", "tools/overlap/failures.py", "tools/overlap/intervals.py", "tools/overlap/kineto.py", "tools/overlap/measurement.py", "tools/overlap/pictures.py", "tools/overlap/provenance.py", "tools/overlap/record.py", "tools/overlap/result.schema.json", "tools/overlap/result_file.py", "tools/overlap/settings.py", "tools/overlap/summary.py", "tools/overlap/theory.py", "tools/overlap/trace.py"]

# %% [markdown] key="waste" lang="zh"
# ## 要验证的一句话
# CUDA 的拷贝由拷贝引擎完成，矩阵乘由 SM 完成。两件事放进同一条流，只能一前一后；放进两条流，**有可能**同时进行。下图是纸面上的最好情形，机器未必给得出来。

# %% [markdown] key="waste" lang="en"
# ## The claim to be tested
# A copy engine does CUDA's copies, the SMs do the matrix products. In one stream the two can only follow each other; in two streams they **may** run at once. This is the best case on paper. Whether a machine delivers it is another matter.

# %% key="waste-picture"
from tools.timeline import draw_timeline

draw_timeline(
    {
        "serial: copy": [("exposed", 0, 4, "copy")],
        "serial: compute": [("compute", 4, 8, "compute")],
        "overlap: copy": [("hidden", 0, 4, "copy")],
        "overlap: compute": [("compute", 0, 4, "compute")],
    },
    title="On paper: copy and compute of equal length, 8 ms one after the other, 4 ms together",
)

# %% [markdown] key="predict" lang="zh"
# ### 猜一猜
# 记**比值** = 重叠总时间 ÷ 串行总时间，越小越好。纸面上，计算窗口是拷贝的 1/4、1、4 倍时，最好的比值各是多少？再猜一个：你的机器在 1 倍窗口下能做到多少？先写数，再往下跑。

# %% [markdown] key="predict" lang="en"
# ### Predict
# Call **ratio** = time overlapped / time in series; smaller is better. On paper, what is the best ratio when the compute window is 1/4, 1 and 4 times the copy? And what will your own machine reach with equal lengths? Write your numbers before you go on.

# %% key="predict-answer"
my_best_ratios = {0.25: None, 1.0: None, 4.0: None}  # 纸面上的最好比值 / best on paper
my_machine_ratio = None  # 你的机器，1 倍窗口 / your machine, equal lengths

# %% [markdown] key="config" lang="zh"
# ## 配置
# | 常量 | 含义 |
# |---|---|
# | `RUN_MODE` | `dry_run` 只登记计划；`cpu_threads` 用两个线程测，任何电脑都行；`real_gpu` 测 CUDA 流 |
# | `RUN_LABEL` | 结果文件名的一部分；复测时换一个，便于区分 |
# | `ENVIRONMENT_PROFILE` | 本课程的单卡机制实验环境 |
# | `PAYLOAD_MIB` | 三档拷贝量，看收益怎样随传输量变化 |
# | `MATRIX_SIZE` | 固定窗口：一次这么大的方阵乘。另外还会按拷贝时间校准出五档窗口 |
# | `WARMUP_STEPS`、`REPEAT_STEPS` | 不计时的预热次数；每一档计时多少对（串行、重叠各一次为一对） |
# | `SEED` | 固定数据与自助法重抽样，便于复现 |

# %% [markdown] key="config" lang="en"
# ## Configuration
# | constant | meaning |
# |---|---|
# | `RUN_MODE` | `dry_run` only registers the plan; `cpu_threads` measures with two threads, on any computer; `real_gpu` measures CUDA streams |
# | `RUN_LABEL` | part of the result's file name; change it when you measure again |
# | `ENVIRONMENT_PROFILE` | the course's environment for mechanism experiments on one GPU |
# | `PAYLOAD_MIB` | three sizes of copy, to see how the gain depends on the payload |
# | `MATRIX_SIZE` | the fixed window: one square product of this size. Five more windows are calibrated against the copy |
# | `WARMUP_STEPS`, `REPEAT_STEPS` | untimed runs first; then this many timed pairs (one serial, one overlapped run) for each case |
# | `SEED` | fixes the data and the bootstrap, so that you can repeat the run |

# %% key="parameters" parameters=true
RUN_MODE = "dry_run"  # dry_run | cpu_threads | real_gpu
RUN_LABEL = "default"
ENVIRONMENT_PROFILE = "INF-CUDA-MECHANISM"
PAYLOAD_MIB = [16, 64, 128]
MATRIX_SIZE = 2048
WARMUP_STEPS = 5
REPEAT_STEPS = 20
SEED = 42

# %% [markdown] key="config-note" lang="zh"
# 下一格检查每个值，写错会直接告诉你可以写什么。环境变量 `RUN_MODE`、`RUN_LABEL`、`PAYLOAD_MIB`、`REPEAT_STEPS`、`RESULTS_DIR` 优先于上面的值，方便云端和脚本驱动。按这里的设置，`cpu_threads` 在两个空闲的核上约需半分钟。

# %% [markdown] key="config-note" lang="en"
# The next cell checks every value; a wrong one is answered with what is allowed. The environment variables `RUN_MODE`, `RUN_LABEL`, `PAYLOAD_MIB`, `REPEAT_STEPS` and `RESULTS_DIR` override the values above, so that clouds and scripts can drive this notebook. With these settings `cpu_threads` takes about half a minute on two quiet cores.

# %% key="settings"
import os
from tools.overlap import Settings, usable_folder

settings = Settings(
    run_mode=RUN_MODE, run_label=RUN_LABEL, environment_profile=ENVIRONMENT_PROFILE,
    payload_mib=PAYLOAD_MIB, matrix_size=MATRIX_SIZE, warmup_steps=WARMUP_STEPS,
    repeat_steps=REPEAT_STEPS, seed=SEED,
).with_environment()
results, note = usable_folder(os.environ.get("RESULTS_DIR") or COURSE_ROOT / "results")
print(settings)
if note:
    print(note)

# %% [markdown] key="method" lang="zh"
# ## 怎样才算公平地量
# * **同样的两条队列**：串行与重叠都用它们，只差一条依赖。流、事件、输出只建一次，先预热。
# * **先装满，再放行**：两条队列都排好任务，闸门才打开，提交任务的时间就不会混进来。
# * **成对交错**：每一轮里串行、重叠紧挨着跑，谁先谁后轮流来；机器变热、降频，对两边一视同仁。

# %% [markdown] key="method" lang="en"
# ## What makes the measurement fair
# * **The same two queues** for serial and overlapped runs; only one dependency differs. Streams, events and outputs are made once and warmed.
# * **Fill first, then open**: a gate opens only when both queues are full, so submitting is not measured.
# * **Interleaved pairs**: serial and overlapped runs are neighbours and take turns at going first, so heat and clocks meet both alike.

# %% [markdown] key="method-checks" lang="zh"
# 光快不行，还得对。每一档都另做核对：先把目标区填满废值（行话叫“投毒”），再改掉源数据；跑完后逐字节比较，整个乘积也与高精度参考比较。还有一个自检：**串行对串行**。如果连它都“变快”了，说明机器太吵，这次的结果一概不认。

# %% [markdown] key="method-checks" lang="en"
# Fast is worth nothing if it is wrong. Each case is also checked: the target is poisoned, the source changed, and afterwards every byte and the whole product are compared, the latter with a high-precision reference. And there is a self-check, **serial against serial**. If even that comes out faster, the machine is too noisy and nothing is accepted.

# %% key="run"
from tools.overlap import run_and_write, summary

report, result_path = run_and_write(settings, results)
print(summary(report))
print(f"result: {result_path}")

# %% [markdown] key="read" lang="zh"
# ## 读结果
# 先看每一档的数字。`ratio` 后面的方括号是 95% 自助法区间；`upper` 是考虑了“试过很多档”之后的校正上界，它低于 0.98 才算数；`achievable` 是完美重叠时的比值。先看上界，再看离完美还有多远。

# %% [markdown] key="read" lang="en"
# ## Read the result
# First the figures of each case. After `ratio` stands its 95% bootstrap interval; `upper` is the upper bound corrected for having tried many cases, and only if it is under 0.98 does the case count; `achievable` is the ratio of a perfect overlap. Read the bound first, then the distance to perfection.

# %% key="cases"
from tools.overlap import case_table

print(case_table(report))

# %% [markdown] key="timelines" lang="zh"
# ### 图一：实测时间线
# 每档拷贝量取窗口最接近 1 倍的一例。橙色带点的是藏住的拷贝，朱红斜线的是暴露的拷贝。看两处：重叠时拷贝条有没有变长（带宽争用），两条起点差多少。GPU 上的时间来自性能分析器（CUPTI），拿不到时图上会写明原因。

# %% [markdown] key="timelines" lang="en"
# ### Picture 1: measured timelines
# For each payload, the case whose window is nearest the copy. Dotted orange is copy that was hidden, hatched vermillion is exposed. Look at two things: does the copy get longer when it has to share memory bandwidth, and how far apart do the two start? On a GPU the times come from the profiler (CUPTI); where it cannot be used, the picture says why.

# %% key="timelines-picture"
from IPython.display import Image, display
from tools.overlap import save_pictures

pictures = save_pictures(report, result_path)
if pictures:
    display(Image(pictures["timelines"]))
else:
    print("没有测量，没有图 / nothing measured, no picture: RUN_MODE = 'cpu_threads' | 'real_gpu'")

# %% [markdown] key="ratios" lang="zh"
# ### 图二：比值随拷贝量和窗口的变化
# 曲线（左图是短横线）是可达比值 max(拷贝, 计算) ÷ (拷贝 + 计算)，在 1 倍窗口处最低，只有 0.5。点贴着曲线，说明重叠近乎完美；点在曲线上方，差距就是机器收走的税；区间碰到 0.98 虚线的档位不算数。

# %% [markdown] key="ratios" lang="en"
# ### Picture 2: the ratio against payload and window
# The curve (a dash on the left) is the achievable ratio max(copy, compute) / (copy + compute), lowest where the two are equal: 0.5. Points on the curve are a nearly perfect overlap; the gap above it is the machine's tax. A case whose interval reaches the dotted line at 0.98 does not count.

# %% key="ratios-picture"
if pictures:
    display(Image(pictures["ratios"]))

# %% [markdown] key="predicted" lang="zh"
# ### 和你的预测比
# 下一格把你的猜测与实测放在一起。差得多的那一档最值得想：是算术没想到，还是机器没做到？

# %% [markdown] key="predicted" lang="en"
# ### Against your prediction
# The next cell puts your guesses beside the measurement. The case with the largest gap is the one to think about: did the arithmetic surprise you, or the machine?

# %% key="predicted-compare"
for window, guess in my_best_ratios.items():
    print(f"window {window:g} x copy: your guess {guess}, on paper {max(1, window) / (1 + window):.3f}")
for case in report["cases"]:
    if case["window"]["target_ratio"] == 1.0:
        print(
            f"{case['payload_mib']} MiB: your guess {my_machine_ratio}, measured {case['latency_ratio']:.3f}"
            f" (window {case['window_over_copy']:.2f} x copy, achievable {case['achievable_ratio']:.3f})"
        )

# %% [markdown] key="theory" lang="zh"
# ## 理论遇上测量
# 把你在 `exposed_time` 里写的 `compute_exposed_interval` 和 `estimate_handoff` 粘到下一格。留空也行，后面的比较会自动跳过：这本笔记不附答案。

# %% [markdown] key="theory" lang="en"
# ## Theory meets measurement
# Paste your `compute_exposed_interval` and `estimate_handoff` from `exposed_time` into the next cell. You may leave it empty; the comparison is then skipped. This notebook ships no answers.

# %% key="paste"
# 把你的两个函数粘在这里 / paste your two functions here

# %% [markdown] key="theory-intervals" lang="zh"
# 第一项比较：把实测的拷贝、计算区间喂给你的 `compute_exposed_interval`。它算出的暴露时间，和“重叠总时间 − 单独计算时间”对得上吗？对不上的部分，往往是两者一起跑时都变慢了：区间只知道谁和谁同时，不知道谁拖慢了谁。

# %% [markdown] key="theory-intervals" lang="en"
# First, your `compute_exposed_interval` on the measured intervals of copy and compute. Does its exposed time agree with "overlapped total minus compute alone"? Where it does not, the two usually slowed each other down: intervals know who ran beside whom, and not who held up whom.

# %% key="theory-intervals-run"
from tools.overlap import from_intervals, table

if "compute_exposed_interval" in globals():
    print(table(from_intervals(report, compute_exposed_interval)))
else:
    print("略过：没有 compute_exposed_interval / skipped: compute_exposed_interval is not here")

# %% [markdown] key="theory-link" lang="zh"
# 第二项比较：只用**单独拷贝**拟合出的带宽和固定延迟、**单独计算**的时长，让 `estimate_handoff` 预测暴露时间，再和实测比。`error_ms` 为正，说明真实的暴露比准入估算更长：这正是估算不能当承诺的原因。

# %% [markdown] key="theory-link" lang="en"
# Second, `estimate_handoff` predicts the exposed time from nothing but the bandwidth and fixed latency of **isolated copies** and the length of **isolated compute**. A positive `error_ms` means more stayed exposed than the admission estimate said, which is why an estimate is no promise.

# %% key="theory-link-run"
from tools.overlap import from_link

print("link:", report["link"])
if "estimate_handoff" in globals() and "compute_exposed_interval" in globals():
    print(table(from_link(report, estimate_handoff)))
else:
    print("略过：没有 estimate_handoff / skipped: estimate_handoff is not here")

# %% [markdown] key="controls" lang="zh"
# ## 三个对照
# * **自检**：串行对串行，`accepted` 必须不是 True。
# * **空跑**：什么都不做的一次要多久，这是计时本身的成本。
# * **可分页内存**（仅 GPU）：从普通内存拷贝时，驱动要先搬到锁页缓冲区，提交调用可能一直占住主机（看 `host_enqueue_ms`）。这里先提交计算、后提交拷贝，只报告，不下结论。

# %% [markdown] key="controls" lang="en"
# ## Three controls
# * **Self-check**: serial against serial; `accepted` must not be True.
# * **Empty run**: how long a run without work takes. That is the cost of the clock itself.
# * **Pageable memory** (GPU only): a copy from ordinary memory is staged through a pinned buffer, and the call may hold up the host (see `host_enqueue_ms`). Compute is issued first, then the copy; it is reported, not judged.

# %% key="controls-run"
from tools.overlap import controls

print(controls(report))

# %% [markdown] key="decide" lang="zh"
# ## 解释与决策
# | 看什么 | 字段 | 什么样算好 | 否则 |
# |---|---|---|---|
# | 结果对不对 | `copy_correct`、`compute_correct` | 每一档都为真 | `reject_incorrect_path`：先改对，再谈快慢 |
# | 路径对不对 | `path_confirmed`、`path_reason` | 队列不同、源在锁页内存、时间戳相交 | 队列或内存不对：`reject_incorrect_path`；看不到：为空并写明原因 |
# | 是不是真快了 | `latency_ratio_upper` | 至少一档低于 0.98 | `tune_overlap_window`：换窗口或载荷 |
# | 离完美多远 | `efficiency`、`exposed_ms` | 效率接近 1 | 查争用、查启动间隔 |
# | 环境能不能用 | `failure` | 为空 | `reject_until_environment_fixed`：照 `next_step` 做 |
# | 证据管到哪里 | `evidence_level` | `local_mechanism_benchmark` | CPU 的证据只到 `accept_cpu_overlap` |

# %% [markdown] key="decide" lang="en"
# ## Interpretation and decision
# | question | fields | good | otherwise |
# |---|---|---|---|
# | is it right? | `copy_correct`, `compute_correct` | true in every case | `reject_incorrect_path`: correct it before you speak of speed |
# | is it the path we meant? | `path_confirmed`, `path_reason` | two queues, pinned source, time stamps intersect | wrong queue or memory: `reject_incorrect_path`; not visible: null, with the reason |
# | is it really faster? | `latency_ratio_upper` | under 0.98 in one case at least | `tune_overlap_window`: change window or payload |
# | how far from perfect? | `efficiency`, `exposed_ms` | efficiency near 1 | look for contention and late starts |
# | can this machine do it? | `failure` | null | `reject_until_environment_fixed`: do what `next_step` says |
# | how far does it reach? | `evidence_level` | `local_mechanism_benchmark` | CPU evidence ends at `accept_cpu_overlap` |

# %% key="decide-run"
print("evidence:", report["evidence_level"])
print("decision:", report["decision"])
for language in ("zh", "en"):
    print(report["decision_reason"][language])
for case in report["cases"]:
    if not (case["copy_correct"] and case["compute_correct"] and case["path_confirmed"]):
        print(f"{case['payload_mib']} MiB, {case['window']['units']} units: {case['path_reason']}")

# %% [markdown] key="event-trap" lang="zh"
# ## 一个常见的误会
# 在流上记录一个事件，记下的是流**走到那里**的时刻，不是后面那个 kernel 开始的时刻。两条流等同一道闸门，各自的“开始事件”当然几乎同时，哪怕硬件随后让它们排队。所以我们不拿事件之间的区间证明重叠：要么比总时长，要么看分析器给出的 kernel 和 memcpy 时间戳。

# %% [markdown] key="event-trap" lang="en"
# ## A common mistake
# An event recorded on a stream marks the moment the stream **arrives** there, and not the moment the next kernel starts. Two streams behind one gate have begin events at the same instant, even if the hardware then makes them queue. So intervals between events prove no overlap here: totals do, and the profiler's own time stamps of kernels and copies.

# %% [markdown] key="cpu-trap" lang="zh"
# CPU 上也有同样的陷阱：单核机器轮流执行两个线程，两段“开始到结束”的区间照样相交。因此 `cpu_threads` 还要求两个线程用掉的 CPU 时间之和**超过**墙上时间：只有两个核同时在干活才做得到。

# %% [markdown] key="cpu-trap" lang="en"
# CPUs have the same trap: one core that switches between two threads also gives two intervals that intersect. So `cpu_threads` also requires that the two threads together used **more** CPU time than the wall clock shows, which only two cores at work can do.

# %% [markdown] key="limits" lang="zh"
# ## 这个实验管不到什么
# * 它只证明**一块卡上**拷贝与计算能否重叠，不涉及请求队列，也不涉及 PD 之间的交接协议。
# * 窗口里是一串整齐的矩阵乘；真实的解码步由许多小 kernel 组成，中间有缝隙。
# * 共享的 GPU（MIG、时间片、Windows 的 WDDM）会让时间忽长忽短；来源信息写在结果文件里，比较之前先看。

# %% [markdown] key="limits" lang="en"
# ## Where this model lies
# * It shows whether copy and compute overlap **on one device**. It says nothing of request queues or of a prefill–decode handoff.
# * The window is a tidy row of matrix products; a real decode step is many small kernels with gaps.
# * A shared GPU (MIG, time slices, WDDM on Windows) stretches times at will. Where a result comes from is written in its file: look before you compare.

# %% [markdown] key="trace" lang="zh"
# ### 在 Perfetto 里细看
# 下一格导出时间线，拖进 ui.perfetto.dev 或 chrome://tracing 就能放大看。命令行里还有 `python -m tools.overlap list`、`show`、`compare`，可以列出、查看、对比已有结果。

# %% [markdown] key="trace" lang="en"
# ### A closer look in Perfetto
# The next cell exports the timelines: drop the file on ui.perfetto.dev or chrome://tracing and zoom in. On the command line, `python -m tools.overlap list`, `show` and `compare` read what has been recorded.

# %% key="trace-run"
from tools.overlap import write_trace

if any(case["timeline"]["source"] for case in report["cases"]):
    trace_path = result_path.with_suffix(".trace.json")
    print(write_trace(report, trace_path), "operations:", trace_path)
else:
    print("没有时间线可导出 / no timeline to export")

# %% [markdown] key="summary" lang="zh"
# ## 小结
# * 重叠是否发生，由总时长和硬件时间戳说了算，不由“建了两条流”说了算。
# * 收益的天花板是 max ÷ (拷贝 + 计算)：窗口与拷贝等长时最划算。
# * 先核对正确性，再看带校正的上界，最后才谈快了多少。

# %% [markdown] key="summary" lang="en"
# ## Summary
# * Whether there was overlap is for totals and hardware time stamps to say. "Two streams were created" says nothing.
# * The gain has a ceiling, max / (copy + compute): equal lengths pay best.
# * Correctness first, then the corrected bound, and only then the size of the gain.

# %% [markdown] key="reading" lang="zh"
# ## 延伸阅读
# * [CUDA C++ 编程指南：异步并发执行](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#asynchronous-concurrent-execution)
# * [PyTorch：CUDA 语义](https://docs.pytorch.org/docs/stable/notes/cuda.html)

# %% [markdown] key="reading" lang="en"
# ## Further reading
# * [CUDA C++ Programming Guide: Asynchronous Concurrent Execution](https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#asynchronous-concurrent-execution)
# * [PyTorch: CUDA semantics](https://docs.pytorch.org/docs/stable/notes/cuda.html)
