"""The balance of drifting snow over many steps, for scripts/measure-drift: are all units of snow there after every frame?"""
import numpy as np

# Small versions, whose steps are short: pipeline, its outputs besides the log, settings.
CASES = [
    ("drift_ridge", ["view", "elevation", "snow", "friction"], dict(cells="[16,16,8]", h=40)),
    ("drift_fence", ["section", "snow", "friction", "u"], dict(length=60, h="fence.height/3")),
    ("drift_cube", ["view", "speed", "snow", "friction"], dict(size="[6,4,3]", h=0.25, place="[2.5,2]")),
    ("drift_village", ["view", "speed", "snow", "friction"], dict(h=4)),
    ("sastrugi_flow", ["view", "snow", "friction"], dict(size="[6.4,3.2,3.2]")),
    ("saltation", ["grains", "wind", "passing", "aloft", "hop_lengths", "hop_heights"], dict(size="[0.02,0.02]")),
]


def units(name, log):
    """All units that the log names: those in the domain and those that have left it, without those that have come."""
    if name == "sastrugi_flow":
        return log["units"]
    if name == "saltation":
        return log["grains"] + log["bed"]
    return log["ground"] + log["air"] + log["gone"] - log["come"]


def balance(run, series, steps, names):
    """Prints for each pipeline how many units are lost at most between two of 100 frames."""
    print("pipeline | steps | units at the start | come | gone | lost")
    for name, outputs, settings in CASES:
        if names and name not in names:
            continue
        frames = 100
        out = run(name, f"balance_{name}", frames, frame="[]", run__steps_per_frame=max(steps // frames, 1),
                  **{f"outputs__{output}": "null" for output in outputs}, **settings)
        log = series(out)
        total = units(name, log)
        come, gone = (f"{log[key][-1]:.0f}" if key in log else "" for key in ("come", "gone"))
        print(f"{name} | {int(log['step'][-1])} | {total[0]:.0f} | {come} | {gone} | {np.abs(np.diff(total)).max():.0f}", flush=True)
