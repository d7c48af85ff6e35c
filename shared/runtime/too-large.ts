/** The refusal of an answer that is too large to be sent. */
import type { Acceptance } from './acceptance.ts';
import { ServiceError } from './errors.ts';

/** In which ways the same question has a smaller answer. */
export interface Smaller {
  /** Other forms of the answer. */
  readonly alternatives?: readonly string[] | undefined;
  /** What can be asked for instead, such as `a smaller limit`. */
  readonly lessBy?: readonly string[] | undefined;
}

/** The 413 that names all that this caller can still do, and nothing that would not help. */
export function answerTooLarge(
  accepts: Acceptance,
  { alternatives = [], lessBy = [] }: Smaller,
): ServiceError {
  const helps = [
    ...(accepts.gzip ? [] : ['Accept-Encoding: gzip (curl --compressed)']),
    ...(accepts.csv ? [] : alternatives.map((type) => `Accept: ${type}, which mostly takes less room`)),
    ...lessBy,
  ];
  const advice = helps.length === 0 ? 'It cannot be had in parts.' : `What helps: ${helps.join('; ')}.`;
  return new ServiceError('payload_too_large', `The answer would be larger than 6 MB. ${advice}`);
}
