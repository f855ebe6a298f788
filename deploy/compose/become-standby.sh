#!/bin/bash
# Copies the primary the first time, and follows it from then on.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  pg_basebackup -R -X stream -c fast -D "$PGDATA" \
    -d "host=db1 user=quorate password=$PGPASSWORD application_name=db2"
  chmod 700 "$PGDATA"
fi
exec postgres
