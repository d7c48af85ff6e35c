/** The response formats that a client accepts, according to the path and the headers of its request. */
import type { Format } from './route.ts';

export interface Acceptance {
  /**
   * The media type of the format of the route that the path selects, or that is listed with the highest weight; undefined
   * for JSON, which wins a tie (RFC 9110 section 12.5.1).
   */
  readonly format: string | undefined;
  readonly gzip: boolean;
}

/** What acceptance depends on. */
interface AcceptingRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawPath: string;
}

export function acceptance(
  { headers, rawPath }: AcceptingRequest,
  formats: readonly Format[] = [],
): Acceptance {
  const weight = (...names: readonly string[]) => weightOf(headers.accept, names);
  const json = { mediaType: undefined, weight: weight('application/json', 'application/*', '*/*') };
  const weighed = formats.map(({ mediaType }) => ({ mediaType, weight: weight(mediaType) }));
  const preferred = [json, ...weighed].reduce((best, one) => (one.weight > best.weight ? one : best));
  const ofPath = formats.find(({ ending }) => rawPath.endsWith(ending));
  return {
    format: (ofPath ?? preferred).mediaType,
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
