/** The error for a response that is too large to send. */
import type { Acceptance } from './acceptance.ts';
import { ServiceError } from './errors.ts';
import type { Format } from './route.ts';

/** How to get a smaller response. */
export interface Smaller {
  /** The other formats of the response. */
  readonly formats?: readonly Format[] | undefined;
  /** Changes to the request, such as `a smaller limit`. */
  readonly lessBy?: readonly string[] | undefined;
}

/** A 413 that lists everything that this caller can do to get a smaller response. */
export function answerTooLarge(accepts: Acceptance, { formats = [], lessBy = [] }: Smaller): ServiceError {
  const helps = [
    ...(accepts.gzip ? [] : ['Accept-Encoding: gzip (curl --compressed)']),
    ...(accepts.format === undefined
      ? formats.map(({ mediaType }) => `Accept: ${mediaType}, which is usually smaller`)
      : []),
    ...lessBy,
  ];
  const advice =
    helps.length === 0 ? 'It cannot be split.' : `To get a smaller response, use: ${helps.join('; ')}.`;
  return new ServiceError('payload_too_large', `The response would be larger than 6 MB. ${advice}`);
}
