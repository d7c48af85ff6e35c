import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const file = z.object({ context: z.record(z.string(), z.unknown()) });

/** The feature flags of the CDK that the stacks are made with: another flag can change logical IDs. */
export const featureFlags = (): Readonly<Record<string, unknown>> =>
  file.parse(JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'))).context;
