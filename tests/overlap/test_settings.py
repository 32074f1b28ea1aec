import pytest

from tools.overlap import Settings, SettingsError

BAD = [
    ("run_mode", "real-gpu", "dry_run, cpu_threads, real_gpu"),
    ("run_mode", "", "dry_run, cpu_threads, real_gpu"),
    ("run_mode", None, "dry_run, cpu_threads, real_gpu"),
    ("run_label", "", "letters"),
    ("run_label", "../escape", "letters"),
    ("run_label", "a b", "letters"),
    ("run_label", "x" * 65, "1 to 64"),
    ("run_label", "标签", "letters"),
    ("run_label", "line\n", "letters"),
    ("environment_profile", "INF-CUDA", "INF-CUDA-MECHANISM"),
    ("payload_mib", [], "list of sizes"),
    ("payload_mib", "16", "list of sizes"),
    ("payload_mib", 16, "list of sizes"),
    ("payload_mib", [16, 16], "each size once"),
    ("payload_mib", [0], "from 1 to"),
    ("payload_mib", [-16], "from 1 to"),
    ("payload_mib", [1.5], "whole number"),
    ("payload_mib", [True], "whole number"),
    ("payload_mib", ["16"], "whole number"),
    ("matrix_size", 100, "multiple of 64"),
    ("matrix_size", 0, "from 64 to"),
    ("matrix_size", 2048.0, "whole number"),
    ("warmup_steps", 0, "from 1 to"),
    ("repeat_steps", 0, "from 1 to"),
    ("repeat_steps", "20", "whole number"),
    ("seed", -1, "from 0 to"),
    ("seed", 4.2, "whole number"),
    ("window_ratios", (), "above 0"),
    ("window_ratios", (0.0,), "above 0"),
    ("window_ratios", (float("nan"),), "above 0"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD)
def test_a_typo_in_any_setting_is_named_and_answered(name, value, allowed):
    with pytest.raises(SettingsError) as caught:
        Settings(**{name: value})
    text = str(caught.value)
    assert allowed in text and "\n" not in text
    assert repr(value) in text or repr(tuple(value))[:-2] in text or repr(value[0]) in text


def test_defaults_are_the_seeds_constants():
    settings = Settings()
    assert settings.run_mode == "dry_run"
    assert settings.payload_mib == (16, 64, 128)
    assert (settings.matrix_size, settings.warmup_steps, settings.repeat_steps, settings.seed) == (
        2048,
        5,
        20,
        42,
    )
    assert settings.window_ratios == (0.25, 0.5, 1.0, 2.0, 4.0)


def test_environment_goes_before_the_notebook_and_is_checked_alike():
    environ = {"RUN_MODE": "cpu_threads", "RUN_LABEL": "ci", "PAYLOAD_MIB": "1, 2", "REPEAT_STEPS": "9"}
    settings = Settings(run_mode="real_gpu").with_environment(environ)
    assert (settings.run_mode, settings.run_label) == ("cpu_threads", "ci")
    assert (settings.payload_mib, settings.repeat_steps) == ((1, 2), 9)
    assert Settings().with_environment({"RUN_MODE": " "}) == Settings()
    with pytest.raises(SettingsError, match="dry_run, cpu_threads, real_gpu"):
        Settings().with_environment({"RUN_MODE": "gpu"})
    with pytest.raises(SettingsError, match="PAYLOAD_MIB is '1,x'"):
        Settings().with_environment({"PAYLOAD_MIB": "1,x"})
    with pytest.raises(SettingsError, match="REPEAT_STEPS"):
        Settings().with_environment({"REPEAT_STEPS": "many"})


def test_the_processes_environment_is_read(monkeypatch):
    monkeypatch.setenv("RUN_MODE", "cpu_threads")
    assert Settings().with_environment().run_mode == "cpu_threads"
