import { attentionStore } from '../../store/attention.ts';
import { directoryStore } from '../../store/domains/directory.ts';
import { fetchedMailboxStore } from '../../store/fetched-mailboxes.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import { config } from '../config/config.ts';
import { clock, table } from './services.ts';

/** What showing all organizations to operators needs. */
export const operatedDependencies = () => ({
  organizations: organizationStore(table()),
  directory: directoryStore(table()),
  attention: attentionStore(table()),
  mailboxes: fetchedMailboxStore(table()),
  members: memberStore(table()),
  defaultLimit: config().DOMAIN_LIMIT,
  clock,
});
