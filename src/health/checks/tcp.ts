import { connect } from 'node:net';
import { z } from 'zod';
import type { CheckType } from '../../model/check-type.ts';
import { attempt } from '../attempt.ts';

const options = z.strictObject({});

/** `tcp`: passes when the connection is established. */
export const tcp: CheckType<z.output<typeof options>> = {
  name: 'tcp',
  options,
  probe: ({ address, port }, _options, context) =>
    attempt(context, ({ pass, fail, waitFor }) => {
      waitFor('connection');
      const socket = connect({ host: address, port });
      socket.on('connect', () => {
        pass('connected');
      });
      socket.on('error', fail);
      return () => socket.destroy();
    }),
};
