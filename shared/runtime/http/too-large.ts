/** The error for a response that is too large to send. */
import type { Acceptance } from './acceptance.ts';
import { ServiceError } from './errors.ts';

/** How to get a smaller response. */
export interface Smaller {
  /** The response as CSV, if there is one. */
  readonly csv?: object | undefined;
  /** Changes to the request, such as `a smaller limit`. */
  readonly lessBy?: readonly string[] | undefined;
}

/** A 413 that lists everything that this caller can do to get a smaller response. */
export function answerTooLarge(accepts: Acceptance, { csv, lessBy = [] }: Smaller): ServiceError {
  const helps = [
    ...(accepts.gzip ? [] : ['Accept-Encoding: gzip (curl --compressed)']),
    ...(accepts.csv || csv === undefined ? [] : ['Accept: text/csv, which is usually smaller']),
    ...lessBy,
  ];
  const advice =
    helps.length === 0 ? 'It cannot be split.' : `To get a smaller response, use: ${helps.join('; ')}.`;
  return new ServiceError('payload_too_large', `The response would be larger than 6 MB. ${advice}`);
}
