import { readFileSync } from 'node:fs';
import { type IpData, readIpData } from '../../protocol/ip-data.ts';
import { type Config, ConfigError, config } from '../config/config.ts';

let made: IpData | undefined;

/** The data about addresses in this process: of the files at its first use. */
export function ipData(): IpData {
  made ??= createIpData(config());
  return made;
}

/** @throws ConfigError if a file of IP_DATA cannot be read, is no MMDB file, or is damaged. */
export function createIpData({ IP_DATA }: Pick<Config, 'IP_DATA'>): IpData {
  try {
    return readIpData(IP_DATA.map((path) => ({ path, bytes: readFileSync(path) })));
  } catch (error) {
    throw new ConfigError(`IP_DATA cannot be read: ${(error as Error).message}`);
  }
}
