/** A registered domain. */
import type { UsageType } from '../../checks/results.ts';
import type { ScoresByUsage } from '../../score/score.ts';

export interface Domain {
  readonly id: string;
  readonly organization: string;
  readonly domain: string;
  readonly verified: boolean;
  readonly verificationToken: string;
  readonly usageType: UsageType;
  readonly testEmailLocalPart: string | null;
  /** Local part of the report mailbox. Random, so that nobody can guess where to send forged reports. */
  readonly mailbox: string;
  readonly lastCheckedAt: string | null;
  /** The scores of the latest check run; absent before the first. */
  readonly scores?: ScoresByUsage | null;
  /** The token of the public badge; absent while the badge is off. */
  readonly badgeToken?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What other items need to know about their domain. */
export type DomainReference = Pick<Domain, 'id' | 'organization' | 'domain'>;
