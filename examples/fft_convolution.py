"""A template found in long recordings, by FFT convolution: `python examples/fft_convolution.py`.

Pulses of a known form are hidden in noise. The recordings are correlated with the form, by
transforms of pieces that overlap, and peaks of what comes out are where the pulses are.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import signal

PULSES = 20


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rounds, length = (2, 50_000) if small else (6, 1_000_000)
    time = np.linspace(-1.0, 1.0, 401)
    form = signal.windows.hann(401) * np.cos(40 * time * (1 + 0.5 * time))
    form = form / np.sqrt(np.sum(form**2))
    random = np.random.default_rng(11)
    found_of_all = []
    for _ in (bar := common.Progress("convolution", rounds)):
        places = np.arange(PULSES) * (length // PULSES) + length // (2 * PULSES)
        record = random.standard_normal((length,))
        for place in places.tolist():
            record[place - 200 : place + 201] += 12.0 * form
        score = signal.oaconvolve(record, form[::-1], mode="same")
        peaks, _ = signal.find_peaks(score, height=8.0, distance=300)
        near = np.abs(peaks[:, None] - places).min(axis=0) <= 3
        found_of_all.append(float(np.mean(near)))
        bar.say(f"{peaks.size} peaks")
    found = sum(found_of_all) / rounds
    print(f"fft_convolution: {100 * found:.1f} % of the pulses found in {length} samples of noise")

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        part = slice(length // (2 * PULSES) - 1500, length // (2 * PULSES) + 1500)
        above.plot(np.asnumpy(record[part]), lw=0.5)
        above.set_title("a pulse in noise")
        below.plot(np.asnumpy(score[part]), lw=0.7)
        below.set_title("correlated with its form")

    if out is not None:
        common.plot(out / "fft_convolution.png", draw)
    return found


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
