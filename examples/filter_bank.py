"""Sixteen bands of many channels, by one bank of filters: `python examples/filter_bank.py`.

Each channel has a tone of its own in noise. A bank of band-pass filters runs over all of them, each
a cascade of sections of second order; the band with the most energy tells the tone. SciPy designs
the filters, kernels run them: all channels at the same time.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import signal

BANDS = 16


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    channels, length = (64, 2000) if small else (256, 20000)
    edges = np.linspace(0.02, 0.98, BANDS + 1)
    random = np.random.default_rng(7)
    truth = np.arange(channels) % BANDS
    middle = (edges[truth] + edges[truth + 1]) / 2
    time = np.arange(length)
    tones = np.sin(np.pi * middle[:, None] * time)
    samples = tones + 2.0 * random.standard_normal((channels, length))
    energies = []
    for band in (bar := common.Progress("filter_bank", BANDS)):
        low, high = float(edges[band]), float(edges[band + 1])
        sections = signal.butter(3, [low, high], btype="bandpass", output="sos")
        energies.append(np.mean(signal.sosfilt(sections, samples) ** 2, axis=-1))
        bar.say(f"{low:.2f} to {high:.2f} of the highest frequency")
    energy = np.stack(energies, axis=-1)
    right = float(np.mean(np.argmax(energy, axis=-1) == truth))
    print(f"filter_bank: {100 * right:.1f} % of {channels} channels found in their bands")

    def draw(figure: Any) -> None:
        left, place = figure.subplots(1, 2)
        for band in range(0, BANDS, 3):
            pair = [float(edges[band]), float(edges[band + 1])]
            sections = signal.butter(3, pair, btype="bandpass", output="sos")
            w, h = signal.freqz_sos(sections)
            left.plot(np.asnumpy(w) / 3.14159, np.asnumpy(np.abs(h)))
        left.set_xlabel("frequency")
        left.set_title("some of the filters")
        place.imshow(np.asnumpy(energy), aspect="auto")
        place.set_xlabel("band")
        place.set_ylabel("channel")

    if out is not None:
        common.plot(out / "filter_bank.png", draw)
    return right


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
