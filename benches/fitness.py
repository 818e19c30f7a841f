"""What a call of the fitness costs in Python: python benches/fitness.py, with the wheel installed.

5,000 elements, rows of 500 elements in runs of ten; the least of 11 repetitions, in microseconds.
"""
import random
import timeit

import fdc

ELEMENTS, COVERED, RUN, SUITE = 5000, 500, 10, 20


def row(choice):
    elements = set()
    while len(elements) < COVERED:
        start = choice.randrange(ELEMENTS - RUN)
        elements.update(range(start, start + RUN))
    return sorted(elements)[:COVERED]


def bits(elements):
    packed = bytearray((ELEMENTS + 7) // 8)
    for element in elements:
        packed[element // 8] |= 1 << (element % 8)
    return bytes(packed)


def cost(call):
    calls = 100
    return min(timeit.repeat(call, number=calls, repeat=11)) / calls * 1e6


def main():
    choice = random.Random(1)
    failing, candidate = row(choice), row(choice)
    suite = [bits(row(choice)) for _ in range(SUITE)]
    print(f"{'metric':8} {'of_test, numbers':>17} {'of_test, bits':>14} {f'of_suite of {SUITE}':>15}")
    for metric in ("rlfdc", "sharp", "entbug", "ddu", "tfd"):
        fitness = fdc.Fitness(ELEMENTS, failing, metric)
        packed = bits(candidate)
        costs = [
            cost(lambda: fitness.of_test(candidate)),
            cost(lambda: fitness.of_test(packed)),
            cost(lambda: fitness.of_suite(suite)),
        ]
        print(f"{metric:8} {costs[0]:>17.1f} {costs[1]:>14.1f} {costs[2]:>15.1f}")


main()
