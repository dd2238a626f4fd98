"""Twins in numpy of pictures with a camera: points, both eyes, moving cameras, clouds (for scripts/check-pictures)."""
import json, pathlib, subprocess
import numpy as np
from matplotlib import colormaps
from matplotlib.image import imread

ROOT = pathlib.Path(__file__).resolve().parent.parent


def draw(options, pipeline, name, settings, frames=1):
    """Runs a shipped pipeline with other settings; the folder of its files."""
    out = pathlib.Path(options.out) / name
    command = [options.program, "run", str(ROOT / f"pipelines/{pipeline}.json"), "--out", str(out), "--force", "--quiet",
               "--frames", str(frames)]
    for key, value in settings.items():
        command += ["--set", f"{key}={json.dumps(value)}"]
    subprocess.run(command, check=True)
    return out


def levels(file):
    """A picture in bytes, height x width x 3."""
    return np.rint(imread(file)[:, :, :3] * 255).astype(int)


def points(options, report):
    """Balls without shades have colours of the map alone; both eyes' pictures are combined as their twins are."""
    distance, convergence, fov = 0.12, 2.4, 34
    eyes = {"distance": distance, "convergence": convergence}
    settings = {"left.ball.shade": 0, "left.map": "magma", "right.map": "magma", "both.eyes": eyes,
                "use.by_row": {"module": "modules/stereo.json", "roles": {"left": "one", "right": "other", "view": "rows"},
                             "parameters": {"layout": "rows", "fov": fov, "eyes": eyes}},
                "grids.rows": {"pixels": [640, 400], "channels": {"color": "rgba8"}},
                "frame": ["left.frame", "right.frame", "both.frame", "beside.frame", "by_row.frame"]}
    settings |= {f"outputs.{name}": {"source": f"{name}.color"} for name in ["one", "other", "rows"]}
    out = draw(options, "pictures_points", "points", settings)
    one, other, view, pair, rows = (levels(out / f"{name}.0001.png") for name in ["one", "other", "view", "pair", "rows"])

    def far(name):
        """The largest distance of a ball's colour to the nearest one of a map, levels."""
        table = np.rint(colormaps[name](np.arange(256))[:, :3] * 255).astype(int)
        balls = np.unique(one[(one != one[0, 0]).any(axis=-1)], axis=0)
        return np.abs(balls[:, None] - table[None]).max(axis=-1).min(axis=-1).max()

    report.line("colours of balls (levels)", far("magma"), 1, far("viridis"))

    def both(distance):
        shift = 0.25 * distance / convergence * one.shape[0] / np.tan(np.radians(fov / 2))
        across = np.arange(one.shape[1]) + 0.5
        inside = lambda x: np.clip(np.floor(x), 0, one.shape[1] - 1).astype(int)
        left, right = one[:, inside(across + shift)], other[:, inside(across - shift)]
        mixed = np.concatenate([left[:, :, :1], right[:, :, 1:]], axis=-1)
        even = (np.arange(one.shape[0]) % 2 == 0)[:, None, None]
        return mixed, np.concatenate([left, right], axis=1), np.where(even, left, right)

    for name, picture, twin, wrong in zip(["anaglyph", "side by side", "rows"], [view, pair, rows], both(distance), both(2 * distance)):
        report.line(f"{name} (levels)", np.abs(picture - twin).max(), 0.5, np.abs(picture - wrong).max())


# Balls at known places, whose greys tell them apart.
FOV, SIZE = 34, (640, 400)
FOCAL = 0.5 * SIZE[1] / np.tan(np.radians(FOV / 2))
PLACES = np.array([[0.5, 0.5, 0.5], [0.8, 0.5, 0.4], [0.4, 0.9, 0.6], [0.3, 0.3, 0.75], [0.65, 0.2, 0.3]])
GREYS = 40 + 40 * np.arange(len(PLACES))
STILL = {"turn": 0, "frames_per_key": 24, "keys": 0, "first_frame": 1, "eye_offset": 0}
EYE, TARGET = np.array([2.1, -1.4, 1.2]), np.array([0.5, 0.5, 0.5])


def balls(places, **path):
    """Settings for balls of one grey each, in both eyes' pictures. The right eye has the ball, legend and camera of the left one."""
    sources = [{"box": [list(p), list(p)], "spacing": 1, "set": {"value": int(g)}} for p, g in zip(places, GREYS)]
    settings = {"particles.dots.from": sources, "left.ball": {"radius": 0.02, "shade": 0, "reach": 20}, "left.legend.paper": [1, 0, 1],
                "left.camera": {"eye": list(EYE), "target": list(TARGET), "up": [0, 0, 1], "fov": FOV}}
    path = {"motion": STILL} | path
    for side in ["left", "right"]:
        settings |= {f"{side}.map": "grey", f"{side}.range": [0, 256]}
        settings |= {f"{side}.path.{key}": value for key, value in path.items()}
    return settings


def middles(picture):
    """The middle of the pixels of each ball; none seen: NaN."""
    row, column = np.indices(picture.shape[:2])
    seen = [np.abs(picture - grey).max(axis=-1) <= 1 for grey in GREYS]
    return np.array([(column[s].mean() + 0.5, row[s].mean() + 0.5) if s.any() else (np.nan, np.nan) for s in seen])


def projected(eye, target, eye_offset=0):
    """Where the camera of an eye that lies `eye_offset` to the right sees the balls, pixels; their depths, m."""
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    arm = PLACES - eye - eye_offset * right
    depth = arm @ ahead
    return np.array(SIZE) / 2 + FOCAL * np.stack([arm @ right, arm @ np.cross(ahead, right)], axis=-1) / depth[:, None], depth


def farthest(out, frames, wanted):
    """The largest distance of a ball to its twin over the frames, pixels; a ball that is not seen is infinitely far."""
    off = [np.linalg.norm(middles(levels(out / f"one.{f:04}.png")) - wanted(f), axis=-1).max() for f in range(1, frames + 1)]
    return np.nan_to_num(np.array(off), nan=np.inf).max()


def turned(degrees):
    a, arm = np.radians(degrees), EYE - TARGET
    return TARGET + np.array([np.cos(a) * arm[0] - np.sin(a) * arm[1], np.sin(a) * arm[0] + np.cos(a) * arm[1], arm[2]])


def curve(keys, at):
    """A uniform Catmull-Rom curve in the form of Hermite: the slope at a key is half of what lies between its neighbours."""
    keys = np.array(keys, float)
    keys = np.concatenate([[2 * keys[0] - keys[1]], keys, [2 * keys[-1] - keys[-2]]])
    at = min(at, len(keys) - 3)
    k = min(int(at), len(keys) - 4)
    t, (a, b, c, d) = at - k, keys[k:k + 4]
    return ((2 * t**3 - 3 * t**2 + 1) * b + (t**3 - 2 * t**2 + t) * (c - a) / 2
            + (3 * t**2 - 2 * t**3) * c + (t**3 - t**2) * (d - b) / 2)


def cameras(options, report):
    show = {"frame": ["left.frame"], "outputs": {"one": {"source": "one.color"}}}
    out = draw(options, "pictures_points", "turn", show | balls(PLACES, motion=STILL | {"turn": 25}), 4)
    report.line("balls on a turntable, 4 frames (pixels)", farthest(out, 4, lambda f: projected(turned(25 * (f - 1)), TARGET)[0]), 0.3,
                farthest(out, 4, lambda f: projected(turned(25 * f), TARGET)[0]))

    eyes = [[2.1, -1.4, 1.2], [2.4, 0.3, 0.6], [1.9, 2.1, 1.5], [0.4, 2.6, 0.9]]
    targets = [[0.5, 0.5, 0.5], [0.6, 0.5, 0.4], [0.5, 0.4, 0.6], [0.5, 0.5, 0.5]]
    keys = {"motion": STILL | {"keys": 4, "frames_per_key": 3}, "eyes": dict(zip("abcd", eyes)), "targets": dict(zip("abcd", targets))}
    out = draw(options, "pictures_points", "keys", show | balls(PLACES, **keys), 12)

    def seen(f, bend):
        at = (f - 1) / 3
        straight = lambda keys: np.array([np.interp(min(at, 3), range(4), line) for line in np.transpose(keys)])
        return projected(*(curve(k, at) if bend else straight(k) for k in (eyes, targets)))[0]

    report.line("balls from a curve through 4 keys, 12 frames (pixels)", farthest(out, 12, lambda f: seen(f, True)), 0.3,
                farthest(out, 12, lambda f: seen(f, False)))


def eyes(options, report):
    """A ball at depth z lies f d (1/c - 1/z) further right for the right eye: not at all at the convergence c, left of it if nearer."""
    _, depth = projected(EYE, TARGET)
    convergence = depth[0]
    # Pictures are moved by whole pixels: 12 of them here.
    distance = 24 * convergence / FOCAL
    pair = {"distance": distance, "convergence": convergence}
    settings = {"both.eyes": pair, "frame": ["left.frame", "right.frame", "beside.frame"],
                "outputs": {"pair": {"source": "pair.color"}}}
    settings |= balls(PLACES) | {
        "left.path.motion": STILL | {"eye_offset": -distance / 2}, "right.path.motion": STILL | {"eye_offset": distance / 2}}
    picture = levels(draw(options, "pictures_points", "eyes", settings) / "pair.0001.png")
    left, right = middles(picture[:, :SIZE[0]]), middles(picture[:, SIZE[0]:])
    apart, wanted = right[:, 0] - left[:, 0], FOCAL * distance * (1 / convergence - 1 / depth)
    off = lambda twin: np.nan_to_num(np.abs(apart - twin), nan=np.inf).max()
    report.line("balls apart for the eyes (pixels)", off(wanted), 0.3, off(-wanted))
    report.line("a ball in the plane of the screen, apart (pixels)", abs(apart[0]), 0.3, np.abs(apart[1:]).min())


def nearest(options, report):
    """Of two balls in line, the nearer one is seen, from whichever side."""
    ahead = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    places = [TARGET - 0.3 * ahead, TARGET + 0.3 * ahead]
    settings = {"frame": ["left.frame"], "outputs": {"one": {"source": "one.color"}}} | balls(places)
    hidden = []
    for name, eye in [("front", EYE), ("behind", 2 * TARGET - EYE)]:
        settings["left.camera"] = settings["left.camera"] | {"eye": list(eye)}
        # The farther ball is the smaller one, so all of it is hidden.
        picture = levels(draw(options, "pictures_points", f"nearest_{name}", settings) / "one.0001.png")
        hidden.append([(np.abs(picture - grey).max(axis=-1) <= 1).sum() for grey in GREYS[:2]])
    report.line("pixels of a ball behind another, from the front", hidden[0][1], 0, hidden[0][0])
    report.line("the same, from behind", hidden[1][0], 0, hidden[1][1])


def decoded(color):
    """Light of sRGB, IEC 61966-2-1."""
    return np.where(color > 0.04045, ((color + 0.055) / 1.055) ** 2.4, color / 12.92)


def encoded(light):
    return np.where(light > 0.0031308, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055, 12.92 * light)


def cloud(size, dense, ramp, name, paper, samples=600):
    """A value that is x in the unit box of 16 cells along it, as a cloud: midpoints of many short steps."""
    ahead = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    across, down = np.meshgrid(np.arange(size[0]) + 0.5 - size[0] / 2, np.arange(size[1]) + 0.5 - size[1] / 2)
    focal = 0.5 * size[1] / np.tan(np.radians(FOV / 2))
    rays = ahead + (across[..., None] * right + down[..., None] * np.cross(ahead, right)) / focal
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    sides = np.sort(np.stack([-EYE / rays, (1 - EYE) / rays]), axis=0)
    start, end = sides[0].max(axis=-1), sides[1].min(axis=-1)
    pace = np.maximum(end - start, 0) / samples
    light, passed = np.zeros(rays.shape), np.ones(pace.shape)
    for k in range(samples):
        # Beyond the middles of the outermost cells their values go on.
        t = np.clip(EYE[0] + (start + (k + 0.5) * pace) * rays[..., 0], 0.5 / 16, 1 - 0.5 / 16)
        kept = np.exp(-pace * dense * np.clip((t - ramp[0]) / (ramp[1] - ramp[0]), 0, 1))
        entry = np.clip(np.floor(256 * t), 0, 255).astype(int)
        light += (passed * (1 - kept))[..., None] * decoded(colormaps[name](entry)[..., :3])
        passed *= kept
    return np.rint(255 * encoded(light + passed[..., None] * decoded(np.array(paper)))).astype(int)


def clouds(options, report):
    """Light from steps of a quarter of a cell, against the integral along the ray."""
    size, paper = (160, 100), [0.2, 0.4, 0.6]
    legend = {"bar": 0, "dot": 1, "paper": paper, "ink": [1, 1, 1]}
    for dense, ramp in [(3, [-1, 0]), (8, [0.2, 0.9])]:
        settings = {"grids.box": {"cells": [16] * 3, "cell_size": 1 / 16, "channels": {
                        "value": {"type": "float", "values": "x"}}},
                    "grids.view.pixels": list(size), "draw.legend": legend, "draw.range": [0, 1], "draw.map": "viridis",
                    "draw.cloud": {"dense": dense, "ramp": ramp, "pace": 0.25, "shift": [0, 0, 0]},
                    "draw.camera": {"eye": list(EYE), "target": list(TARGET), "up": [0, 0, 1], "fov": FOV}}
        picture = levels(draw(options, "pictures_volume", "cloud", settings) / "view.0001.png")
        off = lambda dense, ramp: np.abs(picture - cloud(size, dense, ramp, "viridis", paper)).max()
        report.line(f"cloud of {dense}/m, ramp {ramp} (levels)", off(dense, ramp), 2, off(1.1 * dense, ramp))
        if ramp[1] > 0:
            report.line("  its ramp", off(dense, ramp), 2, off(dense, [ramp[0], ramp[1] + 0.1]))
