/** What a service is tried for: steps in their order, and what several of them hold answers against. */
import * as z from 'zod/mini';
import { Unexpected } from './client.ts';

export interface Step {
  readonly name: string;
  /** @throws whatever says why it failed. */
  run(): Promise<void>;
}

/** Steps that build on each other. */
export interface Journey {
  readonly steps: readonly Step[];
  /** Takes away what a journey that broke off has left. */
  readonly cleanUp?: Step;
}

/** A journey of one step. */
export const alone = (name: string, run: () => Promise<void>): Journey => ({ steps: [{ name, run }] });

/** The envelope of v1. */
export const data = <S extends z.ZodMiniType>(schema: S) => z.object({ data: schema });

/** The one error shape. */
export const errorBody = (code: string) =>
  z.object({
    error: z.object({ code: z.literal(code), message: z.string() }),
    message: z.string(),
    requestId: z.string(),
  });

/** @throws Unexpected saying `otherwise`, where something does not hold. */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Unexpected(otherwise);
}
