/** Restores the table of a deployment into a new one, by point-in-time recovery. */
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { tableDefinition } from '../../../shared/store/keys.ts';
import { CommandError } from '../../terminal/command-line.ts';

/** Large tables take hours. */
const PATIENCE_SECONDS = 24 * 3600;

/** The latest point to which a table can be restored. @throws CommandError if none is. */
export async function latestPoint(client: DynamoDBClient, table: string): Promise<Date> {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  );
  const latest = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.LatestRestorableDateTime;
  if (latest === undefined) throw new CommandError(`${table} has no point-in-time recovery`);
  return latest;
}

/** Restores a table, and waits until the new one can be used. Goes on with one that was begun. */
export async function restoreTable(
  client: DynamoDBClient,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: Date },
): Promise<void> {
  try {
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: from,
        TargetTableName: to,
        RestoreDateTime: at,
      }),
    );
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException) || error.name !== 'TableAlreadyExistsException')
      throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: PATIENCE_SECONDS }, { TableName: to });
}

/** Sets what a restore leaves out. Safe to repeat. */
export async function protect(client: DynamoDBClient, table: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED')
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table,
        TimeToLiveSpecification: { Enabled: true, AttributeName: tableDefinition.timeToLive },
      }),
    );
  await client.send(
    new UpdateContinuousBackupsCommand({
      TableName: table,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  await client.send(new UpdateTableCommand({ TableName: table, DeletionProtectionEnabled: true }));
}

/** Deletes a table if it exists. */
export async function removeTable(client: DynamoDBClient, table: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: table }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
