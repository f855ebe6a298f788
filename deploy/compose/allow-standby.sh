#!/bin/bash
# Lets the standby copy the database and follow it.
set -e
echo "host replication quorate all scram-sha-256" >> "$PGDATA/pg_hba.conf"
