/** Attention items as the service opens and closes them, and the events of them that wait to be sent. */

import * as z from 'zod/mini';
import type { DomainKind } from '../../shared/alerts/attention-kind.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { attentionChanges, domainClosing, domainOpening } from '../../shared/store/attention-changes.ts';
import type { DomainReference } from '../../shared/store/domains/domain.ts';
import { domainPartition, organizationPendingKey } from '../../shared/store/keys.ts';
import type { Table } from '../../shared/store/table.ts';
import { testCipher } from './cipher.ts';

const nobody = { settings: { mail: null, webhook: null }, now: new Date() };

export const openItem = (table: Table, domain: DomainReference, kind: DomainKind, since: string) =>
  table.tryTransact(domainOpening(domain, kind, { since }, nobody));

export const closeItem = (table: Table, domain: DomainReference, kind: DomainKind) =>
  table.tryTransact(domainClosing(domain, kind, { since: '' }, nobody));

export const changesOn = (table: Table) => attentionChanges(table, notificationSettingsStore(table));

/** A webhook of the organization hears of items that open and close. */
export const announceItems = (table: Table, organization: string) =>
  channelStore(table, testCipher).setWebhook(organization, {
    ...{ url: 'https://hook.example.com/', secret: 's', threshold: 'info' },
    events: ['attention.opened', 'attention.closed'],
  });

/** The open items of an organization: kind, severity, and what each is about. */
export async function openItems(table: Table, organization: string) {
  const { items } = await attentionStore(table).list(organization, {}, { page: 1, limit: 50 }, new Date());
  return items.map(({ kind, severity, about: { names } }) => [kind, severity, names.join(', ')]);
}

const pendingEvent = z.object({
  event: z.optional(z.object({ type: z.string(), kind: z.optional(z.string()) })),
});

/** The events of items that wait to be sent, sorted: of a domain, or of an organization by mail or webhook. */
export async function itemEvents(
  table: Table,
  of: { readonly domain: string } | { readonly organization: string },
) {
  const pk = 'domain' in of ? domainPartition(of.domain) : organizationPendingKey(of.organization, '', '').pk;
  const query = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': 'PENDING#' },
  };
  const found = await table.query(query, pendingEvent);
  return found
    .flatMap(({ event }) => (event?.kind === undefined ? [] : [`${event.type} ${event.kind}`]))
    .toSorted();
}
