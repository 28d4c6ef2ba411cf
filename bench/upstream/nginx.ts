/** The configuration of nginx as a proxy with one worker, over connections that stay open. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).error === undefined;

/** Writes the configuration, and returns the parameters that start nginx with it. */
export function nginxParameters(folder: string, port: number, upstreamPort: number): readonly string[] {
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  upstream answering { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://answering;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`,
  );
  return ['-p', folder, '-c', file];
}
