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
import type { TableRecovery } from '../../../shared/operations/restore/restore-table.ts';
import { tableDefinition } from '../../../shared/store/keys.ts';

/** Large tables take hours. */
const PATIENCE_SECONDS = 24 * 3600;

/** Point-in-time recovery of the tables of an account. */
export const tableRecovery = (client: DynamoDBClient): TableRecovery => ({
  async latestPoint(table) {
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: table }),
    );
    return ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.LatestRestorableDateTime;
  },

  async restore({ from, to, at }) {
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
  },

  protect: (table) => protect(client, table),

  async remove(table) {
    try {
      await client.send(new DeleteTableCommand({ TableName: table }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  },
});

async function protect(client: DynamoDBClient, table: string): Promise<void> {
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
