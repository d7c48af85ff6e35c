import type { Operation } from '../operation.ts';

/** Commands perform it, with files of their machine: `lib/admin/move/`. */
export const operation = {
  name: 'exportOrganization',
  summary: 'Write an organization to an archive',
  scope: 'operator',
  refusals: [],
  uses: [],
} as const satisfies Operation;
