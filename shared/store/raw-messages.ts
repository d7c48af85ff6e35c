/** The bucket that stores received mail unmodified, so that it can be read again. */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { awsAccess, unlogged } from './aws-access.ts';

export interface RawMessages {
  /** The message; `too-large` if it has more than `limit` bytes, undefined if it is gone. */
  read(key: string, limit: number): Promise<Uint8Array | 'too-large' | undefined>;
  /** Removes the message if it exists. */
  remove(key: string): Promise<void>;
}

/** The same for a program that stores messages, too. */
export interface WritableRawMessages extends RawMessages {
  store(key: string, content: Uint8Array): Promise<void>;
}

/** The same for a program that moves messages from another bucket. */
export interface MovedRawMessages extends WritableRawMessages {
  /** Copies the message from a bucket in any region; if it is not there, it was moved before. */
  copyFrom(bucket: string, key: string): Promise<void>;
}

/** Makes no request. */
export function rawMessages(
  bucket: string,
  client: S3Client = unlogged(new S3Client(awsAccess())),
): MovedRawMessages {
  const { putObject } = awsAccess();
  return {
    async read(key, limit) {
      try {
        const { Body, ContentLength = 0 } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key }),
          { abortSignal: AbortSignal.timeout(READ_MILLISECONDS) },
        );
        if (ContentLength <= limit) return await Body?.transformToByteArray();
        await Body?.transformToWebStream().cancel();
        return 'too-large';
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },

    async store(key, content) {
      if (putObject !== undefined) await putObject(bucket, key, content);
      else await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }));
    },

    async copyFrom(other, key) {
      const CopySource = [other, ...key.split('/')].map(encodeURIComponent).join('/');
      try {
        await client.send(new CopyObjectCommand({ Bucket: bucket, Key: key, CopySource }));
      } catch (error) {
        if (!(error instanceof S3ServiceException && error.name === 'NoSuchKey')) throw error;
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}

/** The same in a region that need not be that of the function. Makes no request. */
export const rawMessagesIn = (region: string, bucket: string): WritableRawMessages =>
  rawMessages(bucket, new S3Client({ ...awsAccess(), region }));

const READ_MILLISECONDS = 60_000;
