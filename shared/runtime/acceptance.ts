/** In which forms a caller wants its answer, by the headers of its request. */

export interface Acceptance {
  /** `text/csv`, named and not ranked below JSON. */
  readonly csv: boolean;
  readonly gzip: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

export function acceptance(headers: Headers): Acceptance {
  const csv = weightOf(headers.accept, 'text/csv');
  return {
    csv: csv > 0 && csv >= weightOf(headers.accept, 'application/json'),
    gzip: weightOf(headers['accept-encoding'], 'gzip') > 0,
  };
}

/** The weight that a list gives to what it names, 0 where it does not name it (RFC 9110 section 12.4.2). */
function weightOf(list: string | undefined, name: string): number {
  for (const entry of (list ?? '').toLowerCase().split(',')) {
    const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
    if (value !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return weight === undefined ? 1 : Number(weight) || 0;
  }
  return 0;
}
