#!/bin/sh
# Has hashcat find the password of its own example for a kind of hash. One argument: the kind's number.
# Two letters are left to find, so that the GPU tries 676 passwords. Before that hashcat tests itself with the same hash.
set -u
hash=$(hashcat --hash-info -m "$1" | sed -n 's/^ *Example\.Hash\.*: //p')
password=$(hashcat --hash-info -m "$1" | sed -n 's/^ *Example\.Pass\.*: //p')
kind=$(hashcat --hash-info -m "$1" | sed -n 's/^ *Name\.*: //p')
echo "begins $1 ($kind)"
case $password in
    hashcat) ;;
    *) echo "unsupported $1 ($kind): its example is of the password '$password'"; exit ;;
esac
found=$(hashcat -m "$1" -a 3 --backend-ignore-hip --force -n 1 -u 1 -T 64 --potfile-disable --outfile-format 2 --quiet "$hash" 'hashc?l?l')
if [ "$found" = hashcat ]; then
    echo "equal $1 ($kind)"
else
    echo "differs $1 ($kind): found '$found', not '$password'"
fi
