/** Numbers in text for people. */

/** A whole number with comma separators. The formatter of Node takes 25 ms when it is first used. */
export function number(value: number | bigint): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 lookup`, `2 lookups`. */
export function counted(value: number | bigint, one: string, many = `${one}s`): string {
  return `${number(value)} ${Number(value) === 1 ? one : many}`;
}
