"""The case `wake` of scripts/measure-drift."""
import numpy as np


def wake(run, series):
    """The wind round the cube without snow: how far it blows back behind it, at heights above the snow; mean of 10 s to 25 s."""
    near, whole, none = {"reach": 4, "wind__bounded": "yes"}, {"place": "[5.1,5.1]"}, {"reach": 0, "wind__bounded": "no"}
    print("case | blown back to, m, at about 0.1, 0.3, 0.5 and 0.7 m | u* aside, at the inflow and the outlet | fastest, m/s")
    for name, settings in {
        "mean wind, cut walls": {**none, "place": "[5,5]"},
        "mean wind": {**none, **whole},
        "mean wind, longest 0.1 m": {**none, **whole, "longest": 0.1},
        "mean wind, steps 3 times as long": {**none, **whole, "run__dt": 0.0065},
        "mean wind, steps 3 times as long, bounded": {**none, **whole, "wind__bounded": "yes", "run__dt": 0.0065},
        "eddies everywhere": {**none, **whole, "longest": 0.032},
        "eddies near the cube, cut walls": {**near, "place": "[5,5]"},
        "eddies near the cube (shipped)": {**near, **whole},
        "eddies, up to 2 m": {**near, **whole, "reach": 2},
        "eddies, steps 3 times as long": {**near, **whole, "run__dt": 0.0065},
        "eddies, a quarter of QUICK's damping": {**near, **whole, "wind__scheme__curvature": 1 / 24},
        "eddies, domain 24 x 16 x 6.4 m": {**near, "size": "[24,16,6.4]", "place": "[8.1,8.1]"},
        "mean wind, cells of 0.125 m": {**none, "h": 0.125, "snow": 0.375, "place": "[5,5]"},
        "eddies, cells of 0.125 m": {**near, "h": 0.125, "snow": 0.375, "place": "[5,5]"},
        "mean wind, cells of 0.1 m": {**none, "h": 0.1, "place": "[5,5]"},
        "eddies, cells of 0.1 m": {**near, "h": 0.1, "place": "[5,5]"},
    }.items():
        out = run("drift_cube", "wake_" + "".join(c for c in name if c.isalnum()), 100, step='["wind.step"]', frame="[]",
                  run__steps_per_frame="ceil(0.25/dt)", outputs__view="null", outputs__speed="null", outputs__snow="null",
                  outputs__friction__every=5, outputs__u='{"source": "air.u", "format": "npy", "every": 1}', **settings)
        h, snow = settings.get("h", 0.2), settings.get("snow", 0.4)
        x0, y0 = (float(at) for at in settings["place"].strip("[]").split(","))
        wind = np.mean([np.load(file) for file in sorted(out.glob("u.*.npy"))[40:]], axis=0)
        x, y, z = (np.arange(wind.shape[2]) * h, (np.arange(wind.shape[1]) + 0.5) * h, (np.arange(wind.shape[0]) + 0.5) * h - snow)
        middle, behind = wind[:, abs(y - y0) < 0.75 * h].mean(axis=1), x > x0 + 0.5 + 1e-6
        back = []
        for at in [0.1, 0.3, 0.5, 0.7]:
            row, places = middle[np.argmin(abs(z - at))][behind], x[behind] - x0 - 0.5
            last_back = np.flatnonzero(row < 0)
            if len(last_back):
                i = last_back[-1]
                back.append(f"{places[i] + (h * row[i] / (row[i] - row[i + 1]) if i + 1 < len(row) else 0):.2f}")
            else:
                back.append("0")
        friction = np.mean([np.load(file) for file in sorted(out.glob("friction.*.npy"))[8:]], axis=0)
        aside = np.hypot(friction[..., 0], friction[..., 1])[abs(y - y0) > 0.8 * y0]
        print(f"{name} | {', '.join(back)} | {aside[:, 3].mean():.3f}, {aside[:, -4].mean():.3f} | {series(out)['fastest'][1:].max():.1f}")
