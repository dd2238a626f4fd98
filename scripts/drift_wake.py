"""The case `wake` of scripts/measure-drift."""
import numpy as np

STIRRED = ('{"type": "float", "at": "face_y", "border": ["clamp", "repeat", "clamp"], '
           '"values": "0.5*sin(2*x+1.3*y)*sin(z)"}')
CASES = {
    "walls between cells": {},
    "walls inside cells": {"place": "[3,2.4]"},
    "eddy viscosity not bounded": {"wind__bounded": "no"},
}


def backflow(wind, h, place, snow):
    """How far behind a cube of 1 m the mean wind blows back, m, at about 0.1, 0.3, 0.5 and 0.7 m above the snow."""
    x, y, z = (np.arange(wind.shape[2]) * h, (np.arange(wind.shape[1]) + 0.5) * h, (np.arange(wind.shape[0]) + 0.5) * h - snow)
    middle = wind[:, abs(y - place[1]) < 0.75 * h].mean(axis=1)
    behind = x > place[0] + 0.5 + 1e-6
    lengths = []
    for height in [0.1, 0.3, 0.5, 0.7]:
        row, places = middle[np.argmin(abs(z - height))][behind], x[behind] - place[0] - 0.5
        back = np.flatnonzero(row[:-1] < 0)
        i = back[-1] if len(back) else None
        lengths.append(0 if i is None else places[i] + h * row[i] / (row[i] - row[i + 1]))
    return lengths


def wake(run, series):
    """The wind round the cube without snow, in a small domain, from stirred air; means from 1.9 s to 3.6 s."""
    print("case | blows back to, m behind the cube, at 0.1, 0.3, 0.5, 0.7 m | u* aside: at the inflow, at the outlet | fastest, m/s")
    for name, settings in CASES.items():
        place = settings.get("place", "[3.1,2.5]")
        out = run("drift_cube", "wake_" + "".join(filter(str.isalnum, name)), 24, h=0.2, snow=0.2, size="[9.6,4.8,3.2]",
                  step='["wind.step"]', frame="[]", run__dt=0.006, run__steps_per_frame=25, grids__air__channels__v=STIRRED,
                  outputs__view="null", outputs__speed="null", outputs__snow="null", outputs__friction__every=1,
                  outputs__u='{"source": "air.u", "format": "npy", "every": 1}', **{**settings, "place": place})
        wind, friction = (np.mean([np.load(file) for file in sorted(out.glob(f"{kind}.*.npy"))[12:]], axis=0)
                          for kind in ["u", "friction"])
        lengths = backflow(wind, 0.2, [float(at) for at in place.strip("[]").split(",")], 0.2)
        aside = np.hypot(friction[..., 0], friction[..., 1])[[0, 1, -2, -1]].mean(axis=0)
        print(f"{name} | {', '.join(f'{length:.2f}' for length in lengths)} | {aside[2]:.3f}, {aside[-3]:.3f}",
              f"| {series(out)['fastest'][1:].max():.1f}")
