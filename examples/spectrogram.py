"""Two whistles in noise, followed through a spectrogram: `python examples/spectrogram.py`.

A signal is made of two tones that slide, and of noise that is stronger. Its spectrum in time shows
them; the loudest frequency of each moment, smoothed by medians, follows the first of them.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import signal

RATE = 8000.0


def whistles(seconds: float) -> tuple[Any, Any]:
    """Samples, and the frequency of the first tone at each."""
    time = np.arange(int(seconds * RATE)) / RATE
    first = signal.chirp(time, 500.0, seconds, 3000.0, method="quadratic")
    second = 0.5 * signal.chirp(time, 3500.0, seconds, 1000.0)
    noise = np.random.default_rng(3).standard_normal(time.shape)
    truth = 500.0 + (3000.0 - 500.0) * (time / seconds) ** 2
    return first + second + 2.0 * noise, truth


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rounds = 2 if small else 8
    errors = []
    for i in (bar := common.Progress("spectrogram", rounds)):
        seconds = 2.0 + i
        samples, truth = whistles(seconds)
        frequencies, times, power = signal.spectrogram(
            samples, fs=RATE, window="hann", nperseg=512, noverlap=384
        )
        loudest = signal.medfilt(frequencies[np.argmax(power, axis=0)], 9)
        expected = truth[(times * RATE).astype(int)]
        errors.append(float(np.median(np.abs(loudest - expected))))
        bar.say(f"off by {errors[-1]:.1f} Hz")
    error = max(errors)
    print(f"spectrogram: the tone is followed to {error:.1f} Hz through noise")

    def draw(figure: Any) -> None:
        place = figure.subplots()
        levels = np.asnumpy(10 * np.log10(power))
        span = (float(times[0]), float(times[-1]), 0.0, RATE / 2)
        place.imshow(levels, origin="lower", aspect="auto", extent=span, vmin=-50, vmax=-20)
        place.plot(np.asnumpy(times), np.asnumpy(loudest), "w.", ms=2, label="loudest")
        place.set_xlabel("seconds")
        place.set_ylabel("Hz")
        place.legend()

    if out is not None:
        common.plot(out / "spectrogram.png", draw)
    return error


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
