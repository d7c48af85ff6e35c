/** The operator's command that lists alerts. */

import type { Alert } from '../../shared/alerts/alert.ts';
import { alertsQuery } from '../../shared/api/alerts.ts';
import { jsonLines } from '../terminal/text.ts';
import { asJson, type Commands } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { inputFor } from './perform.ts';

export const alertCommands: Commands = {
  alerts: {
    args: '<org>',
    says: 'list its alerts, newest first',
    example: 'alerts default --severity critical --unread',
    options: {
      '--domain <domain>': 'only alerts about this domain',
      '--severity <severity>': 'only info, warning or critical',
      '--unread': 'only alerts that are not marked as read',
      '--limit <n>': 'how many, from 1 to 100 (default: 20)',
      ...asJson,
    },
    async run([organization]: [string], { domain: name, severity, unread, limit, json }, deps) {
      const wanted = inputFor(alertsQuery, {
        ...(severity !== undefined && { severity }),
        ...(limit !== undefined && { limit }),
        unreadOnly: String(unread === true),
      });
      const domainId = name === undefined ? undefined : (await domainNamed(name, organization, deps)).id;
      const filter = { ...wanted, domainId };
      const { alerts, hasMore } = await deps.alerts().list(organization, filter, wanted, deps.clock.now());
      if (json) return jsonLines(alerts);
      return [
        ...alerts.map(describeAlert),
        ...(hasMore ? ['There are more: use --limit, or narrow the list.'] : []),
      ];
    },
  },
};

const describeAlert = ({ createdAt, severity, read, domainName, title }: Alert): string =>
  `${createdAt}  ${severity.padEnd(LONGEST)}  ${read ? '      ' : 'unread'}  ${domainName}: ${title}`;

const LONGEST = 'critical'.length;
