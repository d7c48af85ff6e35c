/** In which forms a caller wants its answer, by the headers of its request. */

export interface Acceptance {
  /** `text/csv`, named and ranked above JSON: between equals ours is the choice (RFC 9110 section 12.5.1). */
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

/** The weight that a list gives to the first of the names that is in it (RFC 9110 section 12.4.2); 0 where none is. */
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
