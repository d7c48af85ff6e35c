/** What a stage decides about what is kept. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from './config.ts';

export interface Keeping {
  /** Whether data can be brought back: to any second of the last 35 days, and after a mistaken deletion. */
  readonly protectData: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
}

export const keeping: Readonly<Record<Settings['stage'], Keeping>> = {
  dev: { protectData: false, removalPolicy: RemovalPolicy.DESTROY, logRetention: RetentionDays.ONE_WEEK },
  prod: { protectData: true, removalPolicy: RemovalPolicy.RETAIN, logRetention: RetentionDays.SIX_MONTHS },
};
