/** Ordered steps of a smoke test, and helpers to validate responses. */
import * as z from 'zod/mini';
import { Unexpected } from './client.ts';

/** Steps in their order, by what they show. A step throws an Error with the reason if it fails. */
export type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/** Steps that depend on each other. */
export interface Scenario {
  readonly steps: Steps;
  /** Cleans up after a journey that failed. */
  readonly cleanUp?: Steps;
}

/** A journey with one step. */
export const oneStep = (name: string, run: () => Promise<unknown>): Scenario => ({ steps: { [name]: run } });

/** The envelope of v1. */
export const data = <S extends z.ZodMiniType>(schema: S) => z.object({ data: schema });

/** The error body. */
export const errorBody = (code: string) =>
  z.object({
    error: z.object({ code: z.literal(code), message: z.string() }),
    message: z.string(),
    requestId: z.string(),
  });

/** @throws Unexpected with the message `otherwise` unless the condition holds. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Unexpected(otherwise);
}
