/** Numbers in text for people. */

/** A whole number with comma separators. */
export function number(value: number | bigint): string {
  return value.toLocaleString('en');
}

/** `1 lookup`, `2 lookups`. */
export function counted(value: number | bigint, one: string, many = `${one}s`): string {
  return `${number(value)} ${Number(value) === 1 ? one : many}`;
}
