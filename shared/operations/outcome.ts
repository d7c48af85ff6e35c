/** What an operation answers: what was done, or why it was refused. */
import type * as z from 'zod/mini';
import { type ErrorCode, type ErrorDetail, errorTable } from '../api/error-table.ts';
import { unknownFields } from '../api/unknown-fields.ts';
import type { Change } from '../store/audit.ts';

export type Outcome<Value, Code extends RefusalCode = RefusalCode> = Done<Value> | Refused<Code>;

/** What an operation changed, for the audit log. */
export interface Subject {
  readonly id: string | null;
  readonly name?: string;
  /** Its fields before and after, without secrets. */
  readonly changes?: readonly Change[];
}

export interface Done<Value> {
  readonly value: Value;
  /** Undefined if nothing changed. */
  readonly subjects?: readonly Subject[];
  /** The version of what was changed, for callers that change it only in a version that they know. */
  readonly version?: string;
}

/** The errors of the API that an operation can decide about; others are about requests. */
export type RefusalCode = Exclude<
  ErrorCode,
  'unauthorized' | 'method_not_allowed' | 'request_in_progress' | 'idempotency_key_reused' | 'internal'
>;

interface RefusalDetails {
  /** All problems of the input, by their path in it, such as `tags.0`. */
  readonly problems?: readonly [ErrorDetail, ...ErrorDetail[]];
  /** When to try again. */
  readonly retryAfterMilliseconds?: number;
}

/** Why nothing was done. */
export class Refused<Code extends RefusalCode = RefusalCode> {
  readonly code: Code;
  readonly message: string;
  readonly problems: readonly [ErrorDetail, ...ErrorDetail[]] | undefined;
  readonly retryAfterMilliseconds: number | undefined;

  constructor(
    code: Code,
    message: string = errorTable[code].message,
    { problems, retryAfterMilliseconds }: RefusalDetails = {},
  ) {
    this.code = code;
    this.message = message;
    this.problems = problems;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

/** The refusal of an invalid input; the path of each problem is within the input, and empty for the whole of it. */
export const invalid = (first: ErrorDetail, ...others: readonly ErrorDetail[]): Refused<'invalid_request'> =>
  new Refused('invalid_request', first.message, { problems: [first, ...others] });

/** The refusal of what was done too often. */
export const tooOften = (retryAfterMilliseconds: number, message?: string): Refused<'rate_limited'> =>
  new Refused(
    'rate_limited',
    message ?? `Too many requests. Try again in ${secondsUntil(retryAfterMilliseconds)} s.`,
    {
      retryAfterMilliseconds,
    },
  );

/** Whole seconds, at least one, for people and for `Retry-After`. */
export const secondsUntil = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** An input that its schema describes, or all its problems. */
export function readInput<S extends z.ZodMiniType>(
  schema: S,
  given: unknown,
): z.output<S> | Refused<'invalid_request'> {
  const parsed = schema.safeParse(given);
  const unknown = unknownFields(schema, given);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const [first, ...others] = [...unknown, ...(parsed.success ? [] : problemsOf(parsed.error))];
  return first === undefined ? new Refused('invalid_request') : invalid(first, ...others);
}

/** What an operation does with an input, if its schema describes it. */
export async function withInput<S extends z.ZodMiniType, Value, Code extends RefusalCode>(
  schema: S,
  given: unknown,
  perform: (input: z.output<S>) => Promise<Outcome<Value, Code>>,
): Promise<Outcome<Value, Code | 'invalid_request'>> {
  const input = readInput(schema, given);
  return input instanceof Refused ? input : perform(input);
}

/**
 * The problems of an input, by their path in it. Of a value of another type only that is said: its length is checked too, but
 * says nothing about it.
 */
export function problemsOf({ issues }: z.core.$ZodError): ErrorDetail[] {
  const ofAnotherType = new Set<string>();
  return issues.flatMap(({ path: names, code, message }) => {
    const path = names.join('.');
    if (ofAnotherType.has(path)) return [];
    if (code === 'invalid_type') ofAnotherType.add(path);
    return { path, message };
  });
}
