/** The organization that a newcomer works in, and its API token. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/network/clock.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import type { Table } from '../../shared/store/table.ts';

const ORGANIZATION = 'default';

/**
 * Sees that the default organization is there and that its token works: the one given, else the one kept in the
 * data folder, else a new one, kept there for its owner alone to read.
 */
export async function defaultToken(
  table: Table,
  { folder, given, serviceLabel }: { folder: string; given: string; serviceLabel: string },
): Promise<string> {
  const organizations = organizationStore(table);
  const now = systemClock.now();
  if ((await organizations.get(ORGANIZATION)) === undefined) {
    await organizations.create('Default organization', now, ORGANIZATION);
  }
  const file = join(folder, 'api-token');
  const known = given !== '' ? given : existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  if (known !== undefined && (await organizations.authenticate(known, now)) === ORGANIZATION) return known;
  const token = await organizations.issueToken(
    ORGANIZATION,
    { name: 'made by npm start', label: serviceLabel, ...(known === undefined ? {} : { token: known }) },
    now,
  );
  if (given === '') writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
