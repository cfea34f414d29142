"""Writes a battery-like time series (rows x 8, zstd) with Polars, as the official SDK uploads it.

python bench/make-parquet.py ROWS FILE
"""
import sys

import numpy as np
import polars as pl

rows, path = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(7)
time_s = np.arange(rows) * 1.0 + np.round(rng.uniform(0, 0.1, rows), 3)
phase = (np.arange(rows) % 20_000) / 20_000
charging = phase > 0.5
current_a = np.where(charging, -2.5, 2.5) + rng.normal(0, 0.002, rows)
voltage_v = 3.6 + 0.5 * np.sin(2 * np.pi * phase) + rng.normal(0, 0.0005, rows)
temperature = 25 + 5 * np.sin(2 * np.pi * phase / 3) + rng.normal(0, 0.02, rows)
step = (np.arange(rows) // 10_000).astype(np.int64)
cycle = (np.arange(rows) // 20_000).astype(np.int64)
discharge = np.where(charging, 0.0, phase * 5 + np.cumsum(rng.uniform(0, 1e-9, rows)))
charge = np.where(charging, (phase - 0.5) * 5 + np.cumsum(rng.uniform(0, 1e-9, rows)), 0.0)

frame = pl.DataFrame(
    {
        "Time [s]": np.round(time_s, 3),
        "Voltage [V]": np.round(voltage_v, 6),
        "Current [A]": np.round(current_a, 6),
        "Temperature [degC]": np.round(temperature, 3),
        "Step count": step,
        "Cycle count": cycle,
        "Discharge capacity [A.h]": discharge,
        "Charge capacity [A.h]": charge,
    }
)
frame.write_parquet(path, compression="zstd")
print(f"{path}: {rows} rows")
