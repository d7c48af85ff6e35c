/** Numbers of pictures: the end of an axis, and coordinates in few characters. */

/** The smallest of 1, 2 and 5 times a power of ten that is not below `largest`; 1 for nothing. */
export function axisEnd(largest: number): number {
  if (largest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return ([1, 2, 5].find((factor) => factor * power >= largest) ?? 10) * power;
}

/** A coordinate with at most `decimals` decimals, without trailing zeros. */
export function short(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)));
}
