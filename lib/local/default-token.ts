/** The organization that a newcomer works in, and its API token. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/network/clock.ts';
import { ConfigError } from '../../shared/runtime/config.ts';
import { endOf, organizationStore } from '../../shared/store/organizations.ts';
import type { Table } from '../../shared/store/table.ts';
import { replaceFile } from './replace-file.ts';

const ORGANIZATION = 'default';

export interface DefaultToken {
  readonly token: string;
  /** Why it is another one than at the last start. */
  readonly replaces?: 'revoked' | 'expired' | undefined;
}

/**
 * Sees that the default organization is there and that its token works: the one given, else the one kept in the
 * data folder, else a new one, kept there for its owner alone to read. What was revoked or has expired stays so.
 * @throws ConfigError when the one given does, or belongs to another organization.
 */
export async function defaultToken(
  table: Table,
  { folder, given, serviceLabel }: { folder: string; given: string; serviceLabel: string },
): Promise<DefaultToken> {
  const organizations = organizationStore(table);
  const now = systemClock.now();
  if ((await organizations.get(ORGANIZATION)) === undefined) {
    await organizations.create('Default organization', now, ORGANIZATION);
  }
  const issue = (token?: string) =>
    organizations.issueToken(
      ORGANIZATION,
      { name: 'made by npm start', label: serviceLabel, ...(token === undefined ? {} : { token }) },
      now,
    );
  if (given !== '') {
    const info = await organizations.tokenInfo(given);
    if (info === undefined) return { token: await issue(given) };
    const end =
      info.organization === ORGANIZATION ? endOf(info, now) : `of organization ${info.organization}`;
    if (end === undefined) return { token: given };
    throw new ConfigError(`API_TOKEN is ${end}: choose another one, or leave it out to have one made`);
  }
  const file = join(folder, 'api-token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const info = kept === '' ? undefined : await organizations.tokenInfo(kept);
  const end = info && endOf(info, now);
  if (info?.organization === ORGANIZATION && end === undefined) return { token: kept };
  const token = await issue();
  replaceFile(file, `${token}\n`);
  return { token, replaces: end };
}
