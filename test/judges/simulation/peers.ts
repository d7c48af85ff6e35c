/** Stands in for the modules that make the ports to recipients of alerts; bundled into each simulated process. */
import type { WebPoster } from '../../../shared/network/ports.ts';
import type { Mail } from '../../../shared/notify/mail.ts';
import type { ProcessPorts } from './ports.ts';

let ports: ProcessPorts | undefined;

/** To be called before anything runs. */
export function reachPeersBy(given: ProcessPorts): void {
  ports = given;
}

function known(): ProcessPorts {
  if (ports === undefined) throw new Error('the process has no ports yet');
  return ports;
}

export const webPoster = (): WebPoster => ({ post: (request) => known().post(request) });

export const mailSender =
  (_from: string): ((mail: Mail) => Promise<void>) =>
  (mail) =>
    known().sendMail(mail);
