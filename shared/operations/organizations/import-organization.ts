import type { Operation } from '../operation.ts';

/** Commands perform it, with files of their machine: `lib/admin/move/`. */
export const operation = {
  name: 'importOrganization',
  summary: 'Bring an organization from an archive to this host',
  scope: 'operator',
  refusals: [],
  uses: [],
} as const satisfies Operation;
