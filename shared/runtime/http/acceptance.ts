/** The response formats that a client accepts, according to the path and the headers of its request. */
import { CSV_ENDING } from './route.ts';

export interface Acceptance {
  /**
   * Whether the path is that of a CSV response, or `text/csv` is listed with a higher weight than JSON; on a tie, JSON
   * wins (RFC 9110 section 12.5.1).
   */
  readonly csv: boolean;
  readonly gzip: boolean;
}

/** What acceptance depends on. */
interface AcceptingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawPath: string;
}

export function acceptance({ headers, rawPath }: AcceptingRequest): Acceptance {
  const weight = (...names: readonly string[]) => weightOf(headers.accept, names);
  return {
    csv:
      rawPath.endsWith(CSV_ENDING) || weight('text/csv') > weight('application/json', 'application/*', '*/*'),
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
