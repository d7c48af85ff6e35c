/** Numbers in text for people. */

/** A whole number with comma separators. The formatter of Node takes 25 ms when it is first used. */
export function formatNumber(value: number | bigint): string {
  const digits = String(value);
  const groups = [];
  let end = digits.length;
  for (; end > 3 && digits.charAt(end - 4) !== '-'; end -= 3) groups.unshift(digits.slice(end - 3, end));
  return [digits.slice(0, end), ...groups].join(',');
}

/** `1 lookup`, `2 lookups`. */
export function pluralize(value: number | bigint, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${Number(value) === 1 ? one : many}`;
}
