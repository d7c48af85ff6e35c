import * as z from 'zod/mini';
import { spfFields } from '../../protocol/spf/expansion.ts';
import { outcome } from '../result-fields.ts';

export const spfResult = z.object({ ...spfFields, ...outcome });

export type SpfResult = z.infer<typeof spfResult>;
