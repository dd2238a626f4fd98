"""Large eddies over a flat surface, for scripts/measure-drift."""
import math

import numpy as np


def eddies(run, series, cells):
    """Prints the friction velocity and the profile for sizes of cells, m, and heights where the wind gives the friction."""
    face = '"type": "float", "border": ["repeat", "repeat", "clamp"]'
    print("cell, m; sample_height, cells | u* at the surface | u* of the profile from 0.375 m to 1.875 m | wind at 1.875 m over the law")
    for h, height in [(h, height) for h in cells for height in (1.5, 2.5, 3.5)]:
        out = run("drift_flat", f"eddies_{h}_{height}", 240, h=h, snow=0, grids__air__cells="[6/h,4/h,4/h]",
                  wind__mixing_length=0.16 * h, wind__sample_height=height, run__steps_per_frame="ceil(1/dt)",
                  grids__air__channels__v=f'{{{face}, "at": "face_y", "values": "sin(1.05*x+z)+sin(3.1*x-2*y+2*z)"}}',
                  grids__air__channels__w=f'{{{face}, "at": "face_z", "values": "sin(2.1*x+1.57*y)*z*(4-z)/4"}}',
                  outputs__u='{"source": "air.u", "format": "npy", "every": 2}')
        mean = np.mean([np.load(file).mean(axis=(1, 2)) for file in sorted(out.glob("u.*.npy"))[40:]], axis=0)
        low, high = (np.interp(z, (np.arange(len(mean)) + 0.5) * h, mean) for z in (0.375, 1.875))
        print(f"{h}; {height} | {series(out)['friction'][80:].mean():.3f} | {0.4 * (high - low) / math.log(5):.3f} |",
              f"{high / math.log(1.875e4):.3f}", flush=True)
