/** Numbers of pictures: the end of an axis, and coordinates in few characters. */

/** The first digits of the ends of axes: little room is left above the largest value. */
const FACTORS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** A round number that is not much above `largest`; 1 for nothing. */
export function axisEnd(largest: number): number {
  if (largest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return Math.ceil((FACTORS.find((factor) => factor * power >= largest) ?? 10) * power);
}

/** A coordinate with at most `decimals` decimals, without trailing zeros. */
export function short(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)));
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
