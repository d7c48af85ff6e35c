/** Requests of the compliance pages of the console. */
import * as z from 'zod/mini';
import { MAX_OWN_PROFILES } from '../compliance/own-profile.ts';
import { complianceStatuses } from '../compliance/shapes.ts';
import { paginationQuery } from './common.ts';
import { field, formToken, idList, text, withBoxes } from './console.ts';
import type { ErrorDetail } from './error-table.ts';

/** Of the file instead of the page. */
const format = z.optional(z.enum(['csv']));

export const consoleComplianceQuery = z.object({
  profile: field(44),
  format,
  status: z.optional(z.enum(complianceStatuses)),
  page: paginationQuery.shape.page,
});

/** Which profiles are followed: boxes, and the own ones as JSON. */
export const complianceForm = withBoxes(
  z.object({
    formToken,
    /** Of the profiles that are ticked. */
    ids: idList(2000),
    /** JSON; empty for none. */
    own: text(2 * MAX_OWN_PROFILES),
  }),
);

/** The own profiles as typed; what is wrong with the JSON. */
export function ownProfilesTyped(typed: string): { readonly value: unknown } | ErrorDetail {
  if (typed === '') return { value: [] };
  try {
    return { value: JSON.parse(typed) };
  } catch {
    return { path: 'own', message: 'must be JSON: a list of profiles in square brackets' };
  }
}
