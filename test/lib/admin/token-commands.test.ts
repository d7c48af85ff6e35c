import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { adminCommand } from '../../kit/admin.ts';
import { auditOn } from '../../kit/audit.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

test.each([
  ['', 'admin'],
  [' --scope read', 'read'],
  [' --scope write', 'write'],
])('token create%s makes a token with the scope %s', async (option, scope) => {
  const organizations = organizationStore(table);
  const { id } = await organizations.create('Org', new Date(), randomUUID());
  const clock = { now: () => new Date() };
  const notifications = notificationSettingsStore(table);
  const deps = {
    ...auditOn(table),
    organizations,
    notifications,
    clock,
    setting: (key: string) => ({ SERVICE_LABEL: 'svc' })[key],
  } as unknown as AdminDependencies;
  await adminCommand(`token create ${id}${option}`.split(' '))(deps);
  expect(await organizations.listTokens(id)).toMatchObject([{ scope }]);
});
