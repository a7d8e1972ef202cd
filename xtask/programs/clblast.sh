#!/bin/sh
# Has one of CLBlast's tuners try a sixteenth of the parameters that it knows for a kernel, each once, on little data. One argument: the kernel.
case $1 in
    xaxpy | xdot) size="-n 65536" ;;
    *) size="-m 256 -n 256 -k 256" ;;
esac
# Line by line, so that nothing is lost of what is ended.
exec stdbuf -oL "clblast_tuner_$1" $size -runs 1 -fraction 16
