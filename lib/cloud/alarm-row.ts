import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { MailStack } from './mail.ts';
import type { ServiceStack } from './service.ts';

/** The stacks that alarms monitor. */
export interface Watched {
  readonly mail: MailStack;
  readonly service: ServiceStack;
  /** The functions of all rows by the name of their row, including `fallback`. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly canary?: LambdaFunction | undefined;
}

export interface AlarmRow {
  /** The suffix of the alarm name. */
  readonly name: string;
  /** The heading in RUNBOOK.md with the instructions; several alarms can share one. */
  readonly heading: string;
  /** The user impact. */
  readonly impact: string;
  readonly metric: IMetric;
  /** The alarm triggers at this value or above. */
  readonly threshold: number;
  /** Whether the alarm triggers below the threshold instead. */
  readonly isTooLittle?: true;
  /** In how many periods, consecutive unless `outOf` is set. */
  readonly periods: number;
  /** Out of how many periods, if they need not be consecutive. */
  readonly outOf?: number;
  /** How missing data is treated; default: as not breaching. */
  readonly silence?: 'bad' | 'no news';
  /** Whether it wakes somebody: users notice now, or mail is lost. Otherwise, it is work for the next working day. */
  readonly isUrgent?: true;
  /** Whether it only repeats another alarm, so that its end means nothing. */
  readonly isReminder?: true;
}
