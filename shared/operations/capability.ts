/** What a function needs access to; its AWS permissions and environment variables derive from this. */
import type { indexPartitions, partitions } from '../store/keys.ts';

/** Only the pages of operators reach the list of organizations. */
type Grantable = Exclude<keyof typeof partitions, 'organization-list'>;

/** Partitions of the table; writing includes reading, and so does renewing, which changes single items. An index is only read. */
type TableCapability =
  | `organization-list:${'read' | 'write'}`
  | `${Grantable}:${'read' | 'write' | 'renew'}`
  | `${keyof typeof indexPartitions}:list`;

/** A resource that a function uses, besides the log; permissions and environment variables derive from it. */
export type Capability = TableCapability | OtherCapability;

/** Everything but the table. */
export type OtherCapability =
  | 'queue:deletions'
  | 'queue:checks'
  | 'queue:reports'
  | 'queue:tester'
  | 'queue:notifications'
  | 'queue:digests'
  | 'queue:summaries'
  | 'queue:mailboxes'
  | 'queue-postpone:reports'
  | 'queue-postpone:tester'
  | 'queue-postpone:notifications'
  | 'queue-postpone:digests'
  | 'queue-size:checks'
  | 'second-mail:take'
  | 'report-mail:read'
  | 'report-mail:write'
  | 'report-mail:delete'
  | 'test-mail:read'
  | 'test-mail:delete'
  | 'mail:send'
  | 'events:put'
  | 'evidence:sign'
  | 'identity-provider'
  | 'dns'
  | 'probes';
