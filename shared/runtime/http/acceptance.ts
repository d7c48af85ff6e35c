/** The response formats that a client accepts, according to its request headers. */

export interface Acceptance {
  /** Whether `text/csv` is listed with a higher weight than JSON; on a tie, JSON wins (RFC 9110 section 12.5.1). */
  readonly csv: boolean;
  readonly gzip: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

export function acceptance(headers: Headers): Acceptance {
  const weight = (...names: readonly string[]) => weightOf(headers.accept, names);
  return {
    csv: weight('text/csv') > weight('application/json', 'application/*', '*/*'),
    gzip: weightOf(headers['accept-encoding'], ['gzip']) > 0,
  };
}

/** The weight of the first of the names that is in the list (RFC 9110 section 12.4.2); 0 if none is. */
function weightOf(list: string | undefined, names: readonly string[]): number {
  const entries = (list ?? '').toLowerCase().split(',');
  const listed = new Map(
    entries.map((entry) => {
      const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [value, weight === undefined ? 1 : Number(weight) || 0];
    }),
  );
  const name = names.find((one) => listed.has(one));
  return (name !== undefined && listed.get(name)) || 0;
}
